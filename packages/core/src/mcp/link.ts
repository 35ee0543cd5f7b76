import type { JsonObject } from '../task.ts'
import { MODERN, versionOf } from './negotiated.ts'
import { createServerRequests } from './server-requests.ts'
import { tap, type Tap } from './tap.ts'
import type { ToolList } from './tool-declared.ts'
import type { Caller } from './types.ts'

/** A listener's key: the method of a notification, or one of these. */
export const CLOSE = ''
export const ASK = '?'

type Listener = (value: never) => unknown

/** What all connections of one client share: the tap on its current transport, who listens, and what its tools support. */
export interface Link {
  readonly client: Caller
  /** The tap on the current transport, put on if need be: a client may be connected later, or anew. */
  tap(): Tap | undefined
  /** Adds a listener; what is returned takes it out, and the tap off when nobody listens any more. */
  add(key: string, listener: Listener): () => void
  /** Tells the listeners, once, that the session of this connection is gone. */
  gone(of: Tap, reason: unknown): void
  /** `undefined` until it is asked for, and again when it changed. */
  tools: ToolList | undefined
}

export function createLink(client: Caller): Link {
  const listeners = new Map<string, Set<Listener>>()
  let tapped: Tap | undefined

  /** A listener's error goes where the SDK reports those of its own handlers. */
  const tell = <T>(listener: Listener, value: T): unknown => {
    try {
      return listener(value as never)
    } catch (error) {
      client.onerror?.(error as Error)
      return undefined
    }
  }
  /** Tells all of them. @returns what they say */
  const emit = (key: string, value: unknown): unknown[] =>
    [...(listeners.get(key) ?? [])].map((listener) => tell(listener, value)).filter(Boolean)

  const link: Link = {
    client,
    tools: undefined,
    tap() {
      const { transport } = client
      if (!transport || tapped?.transport === transport) return transport && tapped
      link.tools = undefined
      const questions = createServerRequests(
        client,
        transport,
        (request) => emit(ASK, request) as Promise<JsonObject>[],
      )
      tapped = tap(transport, {
        tell,
        notified(method, params) {
          if (method === 'notifications/cancelled') questions.withdraw(params.requestId)
          if (method === 'notifications/tools/list_changed') link.tools = undefined
          emit(method, params)
        },
        asked: (message, passOn) =>
          versionOf(client) !== MODERN && questions.offer(message, () => void tell(passOn, undefined)),
        closed() {
          tapped = link.tools = undefined
          questions.close()
          emit(CLOSE, undefined)
        },
      })
      return tapped
    },
    add(key, listener) {
      link.tap()
      const known = listeners.get(key) ?? new Set()
      // Of its own, since the same function may be added twice.
      const entry: Listener = (value) => listener(value)
      listeners.set(key, known.add(entry))
      return () => {
        if (known.delete(entry) && known.size === 0) listeners.delete(key)
        if (listeners.size > 0) return
        tapped?.forget()
        if (tapped?.release()) tapped = undefined
      }
    },
    gone(of, reason) {
      if (of.isGone) return
      of.isGone = true
      emit(CLOSE, reason)
    },
  }
  return link
}
