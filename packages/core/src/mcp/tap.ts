import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import { around } from './around.ts'
import { aroundFetch } from './http.ts'
import { declareTasks, unmark } from './mark.ts'
import { keep, retire, type LateProgress } from './progress.ts'
import type { Call, Message, Params, Transport } from './types.ts'

/** Who is told of what goes by. */
export interface Watcher {
  /** Calls a listener, whose errors are not the SDK's. */
  tell<T>(listener: (value: T) => void, value: T): void
  notified(method: string, params: JsonObject): void
  /** `true`: the server's request is taken, and will be answered by the watcher. */
  asked(message: Message, passOn: () => void): boolean
  closed(): void
}

/** Our hands on a connected transport. */
export interface Tap {
  readonly transport: Transport
  /** The session of this connection is gone; its transport may not know. */
  isGone: boolean
  /** Runs what sends a request at once, within this call. Cheaper than a mark on its parameters. */
  during<T>(call: Call, send: () => T): T
  /** A request begins, which may be sent only later. */
  begin(): void
  /** Its end, with or without an answer. */
  end(call: Call): void
  /** Nobody is interested in late progress any more. */
  forget(): void
  /** Takes the tap off if it has nothing to wait for and nobody else's layer lies on top. Left on, it lets everything pass. */
  release(): boolean
}

/**
 * Taps a connected transport in place. It reads along: the SDK gets every answer as it came, also those to our requests that it
 * refuses, and the app gets everything that is not ours.
 */
export function tap(transport: Transport, watcher: Watcher): Tap {
  const pending = new Map<number, Call>()
  const late: LateProgress = new Map()
  let alive = true
  let waiting = 0
  let current: Message | undefined
  let expected: Call | undefined

  const answered = (call: Call, { result, error }: Message) => {
    pending.delete(call.id!)
    call.error = error
    if (!isObject(result)) return
    call.result = result
    retire(late, result)
    // A result comes when the task has ended.
    if (call.method === 'tasks/result') retire(late, { taskId: call.taskId, status: 'completed' })
    const { taskId } = isObject(result.task) ? result.task : result
    if (call.onProgress && call.outlives && taskId !== undefined)
      keep(late, call.id!, { taskId, listener: call.onProgress })
  }

  /** Returns whether the SDK is to see it. */
  const notified = (method: string, params: Params): boolean => {
    watcher.notified(method, params)
    retire(late, params)
    if (method !== 'notifications/progress') return true
    const token = Number(params.progressToken)
    const kept = late.get(token)?.listener
    const listener = kept ?? pending.get(token)?.onProgress
    if (listener) watcher.tell(listener, params)
    // The SDK forgot this token when the answer came, and would report an error.
    return !kept
  }

  /** Returns whether the SDK is to see it. */
  const received = (message: Message, passOn: () => void): boolean => {
    const { id, method } = message
    const params = message.params ?? {}
    if (method !== undefined) return id === undefined ? notified(method, params) : !watcher.asked(message, passOn)
    const call = pending.get(Number(id))
    if (call) answered(call, message)
    return true
  }

  const sending = around(transport, 'send', (inner) => (message, options) => {
    const { id, method, params } = message
    const call = method === expected?.method ? expected : unmark(params)
    if (call) {
      expected = undefined
      if (call.asTask !== false) declareTasks(params?._meta)
    }
    if (call && typeof id === 'number') {
      call.id = id
      call.sent = true
      // callTool() sends again when it was told of a header mismatch.
      call.error = undefined
      pending.set(id, call)
      if (transport.hasPerRequestStream && options)
        options.onRequestStreamEnd = () => {
          call.lost = pending.has(id)
          if (call.lost) transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: '' } })
        }
    }
    return inner.call(transport, message, options)
  })

  const receiving = around(transport, 'onmessage', (inner) => {
    if (!inner) return inner
    return (message, extra) => {
      // A layer of the app may call the function it found, which is this one again.
      const before = current
      const pass = () => {
        current = message
        try {
          inner.call(transport, message, extra)
        } finally {
          current = before
        }
      }
      if (!alive || message === before || received(message, pass)) pass()
    }
  })

  const closing = around(transport, 'onclose', (inner) => {
    if (!inner) return inner
    return () => {
      try {
        inner.call(transport)
      } finally {
        if (alive) {
          alive = false
          for (const layer of layers) layer.remove()
          watcher.closed()
        }
      }
    }
  })

  const layers = [sending, receiving, closing]
  if ('_fetch' in transport) layers.push(around(transport, '_fetch', (inner) => aroundFetch(inner, pending, transport)))

  return {
    transport,
    isGone: false,
    during(call, send) {
      expected = call
      try {
        return send()
      } finally {
        expected = undefined
      }
    },
    begin() {
      waiting++
    },
    end({ id }) {
      waiting--
      pending.delete(id!)
    },
    forget() {
      late.clear()
    },
    release() {
      const isFree = !waiting && !late.size && layers.every((layer) => layer.isTop())
      if (isFree) for (const layer of layers) layer.remove()
      return isFree
    },
  }
}
