import type { Clock, RequestOptions, TaskConnection } from '../connection.ts'
import { RequestError } from '../mcp/errors.ts'
import { fromClient, type FromClientOptions } from '../mcp/from-client.ts'
import { MODERN } from '../mcp/negotiated.ts'
import type { JsonObject } from '../task.ts'
import { asClient } from './as-client.ts'
import { Teardown } from './teardown.ts'
import type { McpApp, View } from './types.ts'
import { CAPABILITIES, NO_ANSWER } from './words.ts'

/** The defaults of `fromClient`, but that references are bound to the names of view and host. */
export type FromAppOptions = FromClientOptions

/** What runners can be asked and show as `inputRequests`: the app declares nothing of the kind to its host. */
const DECLARED = { elicitation: { form: {}, url: {} } }

/** ms. So long a host may ask a person whether a tool may be called; its silence says nothing about the call. */
const PATIENCE = 600_000
/** ms. Less than the shortest `submitTimeout` that is of use where people are asked. */
const BEAT = 30_000

const connections = new WeakMap<TaskConnection, TaskConnection>()

/**
 * A connection from an MCP App view, over its `App` of ext-apps 2.x and whatever its host relays, for any number of runners. Tasks
 * where the host declares `experimental["io.modelcontextprotocol/tasks"]` (see `relayTasks`), else calls: read `supportsTasks` once
 * the app is connected. It can be made before `connect()`. The same app and options give the same connection.
 *
 * A host that lets views call no tools gets no request. When the host takes the view away, runs rest because of `connection`, and
 * their references are kept as ever. A call that its host has a person approve is waited for ten minutes longer than
 * `submitTimeout`, unless that is less than 30 s.
 *
 * Its requests reject with a `RequestError`.
 *
 * @example
 * const app = new App({ name: 'report-panel', version: '1.0.0' })
 * await app.connect()
 * const runner = createTaskRunner({ connection: fromApp(app), tool: 'start_report' })
 */
export function fromApp(app: McpApp, options: FromAppOptions = {}): TaskConnection {
  const view = app as View
  const inner = fromClient(asClient(view), options)
  let connection = connections.get(inner)
  if (!connection) connections.set(inner, (connection = connect(view, inner)))
  return connection
}

function connect(app: View, inner: TaskConnection): TaskConnection {
  const teardown = new Teardown(app)
  const { clock, random, principal } = inner
  return {
    async request(method, params, options = {}) {
      const host = app.getHostCapabilities()
      if (!host || !app.transport) throw new RequestError('not-connected', NOT_CONNECTED)
      // APP-1
      if (!host.serverTools)
        throw new RequestError('not-sent', NO_TOOLS, { data: { requiredCapabilities: { serverTools: {} } } })
      teardown.watch()
      const isModern = inner.generation === MODERN
      const { onProgress } = options
      const stop = method === 'tools/call' && onProgress ? keepWaiting(clock, onProgress) : undefined
      try {
        return await inner.request(method, isModern ? declare(params) : params, options)
      } catch (error) {
        const { reason, code, message } = error as RequestError
        if (reason === 'answer' && code === NO_ANSWER) throw new RequestError('network', message, { cause: error })
        throw error
      } finally {
        stop?.()
      }
    },
    onNotification(method, listener) {
      teardown.watch()
      return inner.onNotification(method, listener)
    },
    onClose(listener) {
      teardown.watch()
      const stops = [teardown.add(listener), inner.onClose(listener)]
      return () => stops.forEach((stop) => stop())
    },
    toolMeta: async (tool) => (app.getHostCapabilities()?.serverTools ? inner.toolMeta?.(tool) : undefined),
    taskSupport: async (tool) => (app.getHostCapabilities()?.serverTools ? inner.taskSupport(tool) : 'forbidden'),
    get generation() {
      return inner.generation
    },
    get supportsTasks() {
      return inner.supportsTasks
    },
    get listsTasks() {
      return inner.listsTasks ?? false
    },
    get endpoint() {
      return inner.endpoint
    },
    clock,
    random,
    principal,
  }
}

/** Says in the request what its sender can do, as the revision wants it; the tasks are added where they are wanted. */
function declare(params: JsonObject): JsonObject {
  return { ...params, _meta: { ...(params['_meta'] as object), [CAPABILITIES]: DECLARED } }
}

/**
 * While a tool call is out, tells that nothing new is known: whoever waits for a sign of life then waits on.
 * @returns how to stop
 */
function keepWaiting(clock: Clock, onProgress: NonNullable<RequestOptions['onProgress']>): () => void {
  const until = clock.now() + PATIENCE
  let timer: unknown
  const wait = () => {
    timer = clock.setTimeout(() => {
      onProgress({})
      if (clock.now() < until) wait()
    }, BEAT)
  }
  wait()
  return () => clock.clearTimeout(timer)
}

const NOT_CONNECTED = 'The app is not connected: await app.connect() first.'
const NO_TOOLS = 'The host lets views call no tools of the server. Nothing was sent.'
