import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The protocol versions this page can speak, the newest first. */
export const generations = ['2026-07-28', '2025-11-25'] as const
export type Generation = (typeof generations)[number]

/** The version that the page's address asks for (`?mcp=2025-11-25`), else the newest. */
export function generationIn(search: string): Generation {
  const asked = new URLSearchParams(search).get('mcp')
  return generations.find((generation) => generation === asked) ?? generations[0]
}

/** A connected client, and how to let go of it. */
export interface Server {
  readonly client: Client
  readonly url: string
  /** Calls the listener when changes may have been missed: the stream of changes had ended, and is open again. */
  onBack(listener: () => void): () => void
  close(): void
}

/** Where the page's MCP server is, as the one who serves the page says. */
export async function serverUrl(): Promise<string> {
  const response = await fetch('/config.json')
  if (!response.ok) throw new Error('The page was not told where its MCP server is.')
  const { server } = (await response.json()) as { readonly server: string }
  return server
}

/** Connects to an MCP server over Streamable HTTP, and keeps the stream of its changes open. */
export async function connectTo(url: string, generation: Generation): Promise<Server> {
  const client = new Client(
    { name: 'research-panel', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: generation === generations[0] ? 'auto' : 'legacy' },
    },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const listeners = new Set<() => void>()
  const leave = new AbortController()
  void keepListening(client, leave.signal, () => {
    for (const listener of listeners) listener()
  })
  return {
    client,
    url,
    onBack(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      leave.abort()
      void client.close()
    },
  }
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8000

/** On 2026-07-28 a server tells of changes only where it was asked to, and the SDK does not ask again when the stream has ended. */
async function keepListening(client: Client, signal: AbortSignal, onBack: () => void): Promise<void> {
  if (client.getNegotiatedProtocolVersion() !== '2026-07-28') return
  let pause = FIRST_PAUSE_MS
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const { closed } = await client.listen({ resourcesListChanged: true }, { signal })
      pause = FIRST_PAUSE_MS
      if (!isFirst) onBack()
      await closed
    } catch {
      // The server is away, or does not tell of changes.
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}
