import { plain, type JsonObject, type TaskConnection, type TaskVerbs, type TaskView } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/* What the pages have in common that are there to be reloaded: one call each, as their address asks for it. */

const asked = new URLSearchParams(location.search)

/** The tool that the page calls. */
export const tool = asked.get('tool')!

/** How it is called; its reference stays in the browser. */
export const options = {
  storage: localStorage,
  storageKey: 'run',
  minPollInterval: 100,
  ...(asked.has('maxWait') && { maxWait: Number(asked.get('maxWait')) }),
  ...(asked.has('background') && { background: true }),
  ...(asked.has('plain') && { protocol: plain() }),
}

/** Connects to the server, in the generation that the address names. */
export async function connect(): Promise<TaskConnection> {
  const { server } = await (await fetch('/config.json')).json()
  const mode = asked.get('mcp') === '2025-11-25' ? 'legacy' : 'auto'
  const client = new Client(
    { name: 'test-page', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(server)))
  return fromClient(client)
}

/** What is printed. */
export const print = (view: TaskView): string => JSON.stringify(view)

/** The buttons: what they say and what they do. What comes of it is in the view. */
export function buttons(
  { fire, cancel, respond, detach }: TaskVerbs<JsonObject, unknown>,
  view: () => TaskView,
): readonly [string, () => void][] {
  const answer = { action: 'accept', content: { confirm: true } }
  const answers = () => Object.fromEntries(Object.keys(view().inputRequests).map((key) => [key, answer]))
  return [
    ['fire', () => void fire(JSON.parse(asked.get('args') ?? '{}')).catch(() => {})],
    ['cancel', () => void cancel()],
    ['respond', () => void respond(answers())],
    ['detach', detach],
  ]
}
