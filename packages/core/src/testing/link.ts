import type { Clock, ServerRequest, TaskConnection } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { createError } from './say.ts'

/** A set of listeners, and how to call all of those that are there now. */
function listeners<Argument>() {
  const all = new Set<(argument: Argument) => void>()
  return {
    add(listener: (argument: Argument) => void) {
      const entry = (argument: Argument) => listener(argument)
      all.add(entry)
      return () => void all.delete(entry)
    },
    call(argument: Argument) {
      for (const listener of [...all]) listener(argument)
    },
  }
}

type Asked =
  NonNullable<TaskConnection['onServerRequest']> extends (listener: infer Listener) => unknown ? Listener : never

/** The way between a connection and its server: carries what either says, while it is open. */
export type Link = ReturnType<typeof createLink>

export function createLink(clock: Clock, latency: number) {
  const notified = listeners<{ method: string; params: JsonObject }>()
  const closing = listeners<unknown>()
  const opening = listeners<void>()
  const asked = new Set<Asked>()
  const subscribed = new Map<object, ReadonlySet<string>>()
  let isOpen = true

  return {
    onNotification: (method: string, listener: (params: JsonObject) => void) =>
      notified.add((told) => {
        if (told.method === method) listener(told.params)
      }),
    listen(taskIds: readonly string[]) {
      const entry = {}
      subscribed.set(entry, new Set(taskIds))
      return () => void subscribed.delete(entry)
    },
    onServerRequest(listener: Asked) {
      asked.add(listener)
      return () => void asked.delete(listener)
    },
    onClose: closing.add,
    onOpen: opening.add,

    /** Answers a request, as long as the connection is open; whatever comes of it is a copy. */
    answer(work: () => Promise<JsonObject>, signal: AbortSignal | undefined): Promise<JsonObject> {
      return new Promise((resolve, reject) => {
        const giveUp = () => reject(signal!.reason)
        if (signal?.aborted) return giveUp()
        signal?.addEventListener('abort', giveUp, { once: true })
        const closed = () => reject(createError({ reason: 'closed', message: 'The connection is closed.' }))
        if (!isOpen) return closed()
        const stop = closing.add(closed)
        const later = async () => {
          try {
            // In this order: what the server knows is as old as its answer.
            if (latency > 0) await new Promise<void>((over) => void clock.setTimeout(over, latency))
            resolve(structuredClone(await work()))
          } catch (error) {
            reject(error)
          } finally {
            stop()
            signal?.removeEventListener('abort', giveUp)
          }
        }
        void later()
      })
    },
    push(method: string, params: JsonObject) {
      if (isOpen) notified.call({ method, params: structuredClone(params) })
    },
    /** Whether somebody asked to be told of this task. */
    isListenedTo: (taskId: string) => [...subscribed.values()].some((ids) => ids.has(taskId)),
    /** Asks the client; `undefined` when nobody there feels responsible. */
    async ask(request: ServerRequest): Promise<JsonObject | undefined> {
      for (const listener of [...asked]) {
        const answer = await listener(request)
        if (answer !== undefined) return answer
      }
      return undefined
    },
    close(reason?: unknown) {
      if (!isOpen) return
      isOpen = false
      subscribed.clear()
      closing.call(reason)
    },
    open() {
      if (isOpen) return
      isOpen = true
      opening.call()
    },
  }
}
