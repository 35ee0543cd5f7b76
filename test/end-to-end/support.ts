import { createTaskRunner, type TaskOptions, type TaskRunner, type TaskView } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mainFile } from '../server/support/server-process.ts'

const clients: Client[] = []

/** A connected client of SDK 2.x that speaks 2026-07-28, over HTTP or with a server of its own over stdio. */
export async function connect(to: URL | 'stdio', args: readonly string[] = []): Promise<Client> {
  // Over stdio `auto` would start a second server only to ask which generation it speaks.
  const mode = to === 'stdio' ? { pin: '2026-07-28' } : 'auto'
  const client = new Client(
    { name: 'end-to-end', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  )
  const transport =
    to === 'stdio'
      ? new StdioClientTransport({ command: process.execPath, args: [mainFile(), 'stdio', ...args], stderr: 'ignore' })
      : new StreamableHTTPClientTransport(to)
  await client.connect(transport)
  clients.push(client)
  return client
}

export async function disconnectAll(): Promise<void> {
  await Promise.all(clients.splice(0).map((client) => client.close()))
}

export function run(client: Client, tool: string, options: Partial<TaskOptions> = {}): TaskRunner {
  return createTaskRunner({ connection: fromClient(client), tool, minPollInterval: 20, ...options })
}

/** Resolves with the first view that fits. */
export function viewWhere(runner: TaskRunner, fits: (view: TaskView) => boolean): Promise<TaskView> {
  return new Promise((resolve) => {
    const look = () => {
      const view = runner.getSnapshot()
      if (!fits(view)) return
      // Not yet assigned when the very first look fits.
      queueMicrotask(() => stop())
      resolve(view)
    }
    const stop = runner.subscribe(look)
    look()
  })
}
