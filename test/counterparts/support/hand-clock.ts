import type { Clock } from '@mcp-task-machine/core'

/** A clock that a test moves, while what is sent over the wire takes real time. */
export class HandClock implements Clock {
  #now = Date.now()
  readonly #timers = new Map<object, { readonly at: number; readonly fn: () => void }>()

  now = () => this.#now
  setTimeout = (fn: () => void, ms: number) => {
    const id = {}
    this.#timers.set(id, { at: this.#now + ms, fn })
    return id
  }
  clearTimeout = (id: unknown) => void this.#timers.delete(id as object)

  /** Lets time pass, in ms, and calls what is due by then. */
  advance(ms: number): void {
    this.#now += ms
    for (const [id, { at, fn }] of [...this.#timers]) {
      if (at > this.#now || !this.#timers.delete(id)) continue
      fn()
    }
  }
}
