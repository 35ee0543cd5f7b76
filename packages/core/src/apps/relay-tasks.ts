import { around } from '../mcp/around.ts'
import { fromClient } from '../mcp/from-client.ts'
import { LEGACY, MODERN } from '../mcp/negotiated.ts'
import type { Capabilities, McpClient } from '../mcp/types.ts'
import type { JsonObject } from '../task.ts'
import { ANYTHING } from './as-client.ts'
import { CreatedTasks } from './created-tasks.ts'
import { createHiddenTools } from './hidden-tools.ts'
import { createRelay } from './relay-request.ts'
import type { Bridge, Handler, McpAppBridge } from './types.ts'
import { TASKS, type Relayed } from './words.ts'

export interface RelayOptions {
  /**
   * Ids of the tasks that the view may reach, which grows with those it creates, up to 1000. One set for all bridges of a view lets
   * it find its tasks again when its iframe was loaded anew. @default a new set
   */
  readonly tasks?: Set<string> | undefined
}

/** Methods that a view may call about a task, by what its server speaks. */
const ABOUT_TASKS: Readonly<Record<string, readonly string[]>> = {
  [MODERN]: ['tasks/get', 'tasks/update', 'tasks/cancel'],
  [LEGACY]: ['tasks/get', 'tasks/result', 'tasks/cancel'],
}
const PUSHES = ['notifications/tasks', 'notifications/tasks/status']

/**
 * Lets the view behind an `AppBridge` of ext-apps 2.x run tasks on the server that `client` is connected to, an MCP SDK client, 1.x
 * or 2.x: declares the capability, and relays calls with their progress and their abort, reads, answers, cancels and pushes. The
 * view reaches only tasks it has created. A view that does not ask for tasks gets none. Call it when the bridge is connected and
 * before the view is loaded; a bridge that closes ends it.
 *
 * It replaces `bridge.oncalltool`: a host that asks a person first puts a function of its own around that afterwards. Questions of a
 * 2025-11-25 server are answered by the handlers of `client`.
 *
 * @returns how to stop: the bridge then answers as before
 * @throws TypeError if the bridge is not connected
 *
 * @example
 * const bridge = new AppBridge(client, { name: 'my-host', version: '1.0.0' }, { serverTools: {} })
 * await bridge.connect(new PostMessageTransport(iframe.contentWindow, iframe.contentWindow))
 * const stop = relayTasks(bridge, client)
 */
export function relayTasks(bridge: McpAppBridge, client: McpClient, options: RelayOptions = {}): () => void {
  const host = bridge as Bridge
  if (!host.transport)
    throw new TypeError('relayTasks needs a connected bridge: await bridge.connect(transport) first.')
  const upstream = fromClient(client)
  let stopListening: (() => void) | undefined
  const tasks = new CreatedTasks(options.tasks ?? new Set(), (open) => {
    const before = stopListening
    stopListening = open.length > 0 ? upstream.listen?.(open) : undefined
    // Only now, so that nothing is missed in between.
    before?.()
  })
  const hidden = createHiddenTools(upstream)
  const relay = createRelay({ bridge: host, client, upstream, tasks, hidden })
  const stops = [hidden.stop]

  const { generation, supportsTasks } = upstream
  // What was agreed on with the server, which is not known any more once `client` is closed.
  const offered = supportsTasks && { [TASKS]: offer(client, generation) }
  const layer = around(host, 'getCapabilities', (inner) => () => {
    const own = inner.call(host)
    return { ...own, serverTools: { ...own.serverTools }, experimental: { ...own.experimental, ...offered } }
  })
  stops.push(() => layer.remove())

  const before = host.oncalltool
  // The bridge warns of a function put in the place of another.
  const setCall = (call: Handler | undefined) => {
    host.oncalltool = undefined
    host.oncalltool = call
  }
  setCall(relay.call)
  // A host may have put a function of its own around it.
  stops.push(() => void (host.oncalltool === relay.call && setCall(before)))

  const handle = (method: string, handler: Handler) => {
    host.setRequestHandler(method, { params: ANYTHING }, handler)
    stops.push(() => host.removeRequestHandler(method))
  }
  try {
    if (supportsTasks) relayTaskMethods()
  } catch (error) {
    // The host has handlers of its own for them.
    stop()
    throw error
  }

  const closing = around(host, 'onclose', (inner) => () => {
    inner?.call(host)
    stop()
  })
  stops.push(() => closing.remove())

  function relayTaskMethods() {
    for (const method of ABOUT_TASKS[generation] ?? [])
      handle(method, (params, context) => relay.about(method, params, context))
    if (generation === LEGACY) {
      handle('tasks/list', relay.list)
      handle('tools/list', relay.tools)
    }
    for (const method of PUSHES)
      stops.push(upstream.onNotification(method, (params) => push(host, tasks, method, params)))
  }

  function stop() {
    for (const end of stops.splice(0)) end()
    stopListening?.()
    stopListening = undefined
  }
  return stop
}

function push(bridge: Bridge, tasks: CreatedTasks, method: string, params: JsonObject) {
  if (!tasks.has(params['taskId'])) return
  tasks.see(params)
  // Its `_meta` names the host's subscription.
  const { _meta, ...said } = params
  bridge.notification({ method, params: said }).catch((error: Error) => bridge.onerror?.(error))
}

/** The settings of the extension: what of it the view can use. */
function offer(client: McpClient, generation: string): Relayed {
  if (generation === MODERN) return {}
  const { cancel, list } = (client.getServerCapabilities() as Capabilities).tasks!
  return { protocolVersion: LEGACY, ...(cancel !== undefined && { cancel }), ...(list !== undefined && { list }) }
}
