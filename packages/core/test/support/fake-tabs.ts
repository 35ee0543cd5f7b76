import { vi } from 'vitest'

type Grant = (lock: object | null) => unknown

/** What a browser offers to several pages of one origin, in one process: Web Locks, and channels that tell all but the teller. */
export function stubTabs() {
  const queues = new Map<string, { start: () => void; signal: AbortSignal | undefined }[]>()
  const held = new Set<string>()
  const next = (name: string) => {
    if (held.has(name)) return
    const first = queues.get(name)?.shift()
    if (first) first.start()
  }
  const locks = {
    request(name: string, { signal }: { signal?: AbortSignal }, grant: Grant) {
      return new Promise((resolve, reject) => {
        const start = () => {
          held.add(name)
          void Promise.resolve()
            .then(() => grant({ name }))
            .then(resolve, reject)
            .finally(() => {
              held.delete(name)
              next(name)
            })
        }
        const entry = { start, signal }
        const queue = queues.get(name) ?? []
        queues.set(name, queue)
        queue.push(entry)
        signal?.addEventListener('abort', () => {
          const at = queue.indexOf(entry)
          if (at < 0) return
          queue.splice(at, 1)
          reject(signal.reason)
        })
        queueMicrotask(() => next(name))
      })
    },
  }
  const channels = new Set<Channel>()
  class Channel {
    readonly #listeners = new Set<(event: { data: unknown }) => void>()
    readonly name: string
    constructor(name: string) {
      this.name = name
      channels.add(this)
    }
    postMessage(message: unknown) {
      const data = structuredClone(message)
      for (const other of channels)
        if (other !== this && other.name === this.name) queueMicrotask(() => other.#hear({ data }))
    }
    addEventListener(_: 'message', listener: (event: { data: unknown }) => void) {
      this.#listeners.add(listener)
    }
    #hear(event: { data: unknown }) {
      for (const listener of this.#listeners) listener(event)
    }
    close() {
      channels.delete(this)
    }
  }
  vi.stubGlobal('navigator', { onLine: true, locks })
  vi.stubGlobal('BroadcastChannel', Channel)
  return {
    /** Locks that are held, places in the queue and channels: nothing is left when nobody follows any more. */
    get left() {
      return held.size + channels.size + [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
    },
  }
}
