/** Room for so many at once; whoever waits longest is next. */
export class Slots {
  readonly #most: number
  readonly #holders = new Set<object>()
  readonly #waiting = new Map<object, () => void>()

  constructor(most: number) {
    this.#most = most
  }

  /** @returns when there is room for this one; at once if it has some already */
  take(holder: object): Promise<void> | undefined {
    if (this.#holders.has(holder)) return undefined
    if (this.#holders.size < this.#most) {
      this.#holders.add(holder)
      return undefined
    }
    return new Promise((resolve) => this.#waiting.set(holder, resolve))
  }

  /** Gives its room to the next one; what only waited is let in to find that it is not wanted any more. */
  release(holder: object): void {
    this.#waiting.get(holder)?.()
    this.#waiting.delete(holder)
    if (!this.#holders.delete(holder)) return
    const [next] = this.#waiting
    if (!next) return
    const [waiting, enter] = next
    this.#waiting.delete(waiting)
    this.#holders.add(waiting)
    enter()
  }
}
