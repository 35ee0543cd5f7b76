import { nextDelay } from '../connection/delay.ts'
import type { TaskConnection } from '../connection.ts'
import { expected } from '../options.ts'
import { ABORTED, RequestError } from './errors.ts'
import { fromClient, type FromClientOptions } from './from-client.ts'
import { systemClock } from './clock.ts'
import type { McpClient } from './types.ts'

/** The options of `fromClient`, and the pace of the attempts to connect. */
export interface ReconnectingOptions extends FromClientOptions {
  /** ms before the second attempt to connect; doubled each time. @default 1000 */
  readonly minDelay?: number
  /** ms between two attempts, at most. @default 60000 */
  readonly maxDelay?: number
}

type Stop = () => void

/** A listener of whoever uses the connection, which outlives the clients under it. */
interface Listener {
  readonly add: (connection: TaskConnection) => Stop | undefined
  stop: Stop | undefined
}

/**
 * A connection that connects by itself: at the first request, and again when it was closed or its session is gone, as long as somebody
 * uses it. All runners share one attempt; between attempts requests are refused, unsent. What was being read goes on by itself.
 *
 * @param createClient makes a new client and connects it
 * @example
 * const connection = reconnecting(async () => {
 *   const client = new Client({ name: 'my-app', version: '1.0.0' })
 *   await client.connect(new StreamableHTTPClientTransport(url))
 *   return client
 * }, { endpoint: url.href })
 * @throws TypeError if an option is not what it should be
 */
export function reconnecting(
  createClient: () => Promise<McpClient>,
  options: ReconnectingOptions = {},
): TaskConnection {
  const { minDelay = 1000, maxDelay = 60_000, ...settings } = options
  expected(typeof createClient === 'function', 'a function that makes a connected client')
  for (const [name, value] of Object.entries({ minDelay, maxDelay }))
    expected(typeof value === 'number' && value > 0, `\`${name}\` to be a positive number of ms`)
  const { clock = systemClock, random = Math.random, principal } = settings
  const listeners = new Set<Listener>()
  const closing = new Set<(reason: unknown) => void>()
  const opening = new Set<Stop>()
  let current: TaskConnection | undefined
  let attempt: Promise<TaskConnection> | undefined
  let failures = 0
  let timer: unknown
  let endpoint = settings.endpoint ?? ''
  let hasConnected = false

  const isUsed = () => listeners.size + closing.size > 0

  async function connect(): Promise<TaskConnection> {
    try {
      const connection = fromClient(await createClient(), settings)
      failures = 0
      current = connection
      endpoint = connection.endpoint
      const stopWatching = connection.onClose((reason) => {
        stopWatching()
        lose(connection, reason)
      })
      for (const listener of listeners) listener.stop = listener.add(connection)
      if (hasConnected) for (const opened of [...opening]) opened()
      hasConnected = true
      return connection
    } catch (cause) {
      failures++
      tryLater()
      throw new RequestError('not-sent', 'The server cannot be reached now.', { cause })
    } finally {
      attempt = undefined
    }
  }

  function lose(connection: TaskConnection, reason: unknown) {
    if (current !== connection) return
    current = undefined
    for (const listener of listeners) {
      listener.stop?.()
      listener.stop = undefined
    }
    for (const closed of [...closing]) closed(reason)
    if (isUsed()) open().catch(() => {})
  }

  function tryLater() {
    if (!isUsed()) return
    const delay = nextDelay({ base: minDelay, longest: maxDelay, random }, {}, failures)
    timer = clock.setTimeout(() => {
      timer = undefined
      if (isUsed()) open().catch(() => {})
    }, delay)
  }

  /** The connection, or the attempt to get one; between two attempts there is none. */
  function open(): Promise<TaskConnection> {
    if (current) return Promise.resolve(current)
    if (timer !== undefined) return Promise.reject(new RequestError('not-sent', 'The server cannot be reached now.'))
    return (attempt ??= connect())
  }

  const stopTrying = () => {
    if (isUsed() || timer === undefined) return
    clock.clearTimeout(timer)
    timer = undefined
  }
  const listen = (add: Listener['add']): Stop => {
    const listener: Listener = { add, stop: current && add(current) }
    listeners.add(listener)
    return () => {
      listener.stop?.()
      listeners.delete(listener)
      stopTrying()
    }
  }

  return {
    async request(method, params, given = {}) {
      const connection = current ?? (await open())
      if (given.signal?.aborted) throw new RequestError('not-sent', ABORTED, { cause: given.signal.reason })
      return connection.request(method, params, given)
    },
    ready: () => open().then(() => {}),
    onNotification: (method, listener) => listen((connection) => connection.onNotification(method, listener)),
    onServerRequest: (listener) => listen((connection) => connection.onServerRequest?.(listener)),
    get listen() {
      return (current ? current.listen : undefined)!
    },
    get supportsTasks() {
      return current?.supportsTasks ?? false
    },
    get listsTasks() {
      return current?.listsTasks ?? false
    },
    get generation() {
      return current?.generation ?? 'none'
    },
    get endpoint() {
      return endpoint
    },
    get session() {
      return current?.session
    },
    principal,
    taskSupport: async (tool) => (await open()).taskSupport(tool),
    toolMeta: async (tool) => (await open()).toolMeta?.(tool),
    onClose(listener) {
      const entry = (reason: unknown) => listener(reason)
      closing.add(entry)
      return () => {
        closing.delete(entry)
        stopTrying()
      }
    },
    onOpen(listener) {
      const entry = () => listener()
      opening.add(entry)
      return () => opening.delete(entry)
    },
    clock,
    random,
  }
}
