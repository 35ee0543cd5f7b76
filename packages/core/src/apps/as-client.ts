import { LEGACY, MODERN } from '../mcp/negotiated.ts'
import type { Caller, McpClient } from '../mcp/types.ts'
import { relayedBy, TASKS } from './words.ts'
import type { View } from './types.ts'

const clients = new WeakMap<View, McpClient>()

/** The app as an MCP client: what its host relays stands for what a server offers. */
export function asClient(app: View): McpClient {
  let client = clients.get(app)
  if (!client) clients.set(app, (client = createClient(app) as McpClient))
  return client
}

function createClient(app: View): Caller {
  const relayed = () => relayedBy(app.getHostCapabilities())
  const client: Caller = {
    get transport() {
      return app.transport as Caller['transport']
    },
    onerror: (error) => app.onerror?.(error),
    getNegotiatedProtocolVersion() {
      const found = relayed()
      if (!found) return 'none'
      return found.protocolVersion === LEGACY ? LEGACY : MODERN
    },
    getServerCapabilities() {
      const found = relayed()
      if (!found) return {}
      const { cancel, list } = found
      return { extensions: { [TASKS]: {} }, tasks: { requests: { tools: { call: {} } }, cancel, list } }
    },
    // A view has one server, the one it came from, and hosts do not say which: the names of view and host stand for it.
    getServerVersion() {
      const host = app.getHostVersion()
      return host && { name: `mcp-app:${app._appInfo?.name ?? ''}@${host.name}` }
    },
    request: (request, schema, options) => app.request(request, schema, options),
    callTool: (params, options) => app.request({ method: 'tools/call', params }, ANYTHING, options),
    assertCanSetRequestHandler: (method) => app.assertCanSetRequestHandler(method),
    get fallbackRequestHandler() {
      return app.fallbackRequestHandler
    },
  }
  return client
}

/** Accepts anything: the form of an answer is judged by whoever asked for it. */
export const ANYTHING = {
  '~standard': { version: 1, vendor: 'mcp-task-machine', validate: (value: unknown) => ({ value }) },
}
