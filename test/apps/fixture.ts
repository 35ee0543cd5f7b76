import { fromApp, relayTasks, type FromAppOptions } from '@mcp-task-machine/core/apps'
import { createTaskRunner, type TaskOptions } from '@mcp-task-machine/core'
import type { McpClient } from '@mcp-task-machine/core/mcp'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { App } from '@modelcontextprotocol/ext-apps'
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { onTestFinished } from 'vitest'
import { createV2, type createV2Legacy } from '../mcp/fixtures/clients.ts'
import { serveTasks } from '../mcp/fixtures/http.ts'
import { inMemoryTasks } from '../mcp/fixtures/modern.ts'
import { connectInMemory } from '../mcp/fixtures/legacy.ts'

type Json = Record<string, any>
type HostCapabilities = ConstructorParameters<typeof AppBridge>[2]

export interface HostOptions {
  readonly capabilities?: HostCapabilities
  readonly relays?: boolean
  readonly tasks?: Set<string>
}

/** A host with its bridge, which relays tasks unless told otherwise; the view is not loaded yet. */
export async function openHost(client: McpClient | null, options: HostOptions = {}) {
  const { capabilities = { serverTools: {} }, relays = true, tasks } = options
  const bridge = new AppBridge(
    client instanceof Client ? client : null,
    { name: 'host', version: '1.0.0' },
    capabilities,
  )
  const [near, far] = InMemoryTransport.createLinkedPair()
  await bridge.connect(far)
  onTestFinished(() => bridge.close())
  const stop = relays && client ? relayTasks(bridge, client, { tasks }) : () => {}
  /** What the view sent to its host. */
  const sent: Json[] = []
  const send = near.send.bind(near)
  near.send = (message, ...rest) => {
    sent.push(structuredClone(message))
    return send(message, ...rest)
  }
  return { bridge, near, stop, sent, of: (method: string) => sent.filter((message) => message['method'] === method) }
}

export function createApp(): App {
  const app = new App({ name: 'panel', version: '1.0.0' }, {}, { autoResize: false })
  onTestFinished(() => app.close())
  return app
}

/** The view, loaded into its host. */
export async function openView(client: McpClient | null, options: HostOptions & { app?: FromAppOptions } = {}) {
  const host = await openHost(client, options)
  const app = createApp()
  await app.connect(host.near)
  return { ...host, app, connection: fromApp(app, options.app) }
}

/** A watched runner that ends with the test. */
export function watch(options: TaskOptions) {
  const runner = createTaskRunner({ minPollInterval: 10, pollInterval: 10, ...options })
  onTestFinished(() => runner.dispose())
  runner.subscribe(() => {})
  return runner
}

/** A 2026-07-28 server in this process and a client that is connected to it. */
export async function modern() {
  const server = await inMemoryTasks()
  const client = createV2()
  await client.connect(server.transport)
  return { client, server }
}

/** The same over HTTP, where everything that arrives is kept. */
export async function modernOverHttp() {
  const server = await serveTasks()
  const client = createV2()
  await client.connect(new StreamableHTTPClientTransport(server.url))
  return { client, server }
}

/** A 2025-11-25 server and a client that is connected to it. */
export async function legacy() {
  const { client, works } = await connectInMemory('SDK 2.x')
  return { client: client as ReturnType<typeof createV2Legacy>, works }
}
