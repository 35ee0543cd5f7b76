import type { TaskReference } from './reference.ts'

/** Where a reference survives the page: `localStorage`, or anything with these three, asynchronous or not. */
export interface TaskStorage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): void | Promise<void>
  removeItem(key: string): void | Promise<void>
}

interface Owner {
  readonly storage: TaskStorage
  readonly key: string
  /** @throws TypeError if it is no reference that may be gone on with here */
  check(value: unknown): asserts value is TaskReference
}

/** One run's reference in the caller's storage. Whatever the storage does, the run goes on: trouble is told once. */
export class StoredReference {
  readonly #owner: Owner
  /** What was written last, by us. */
  #written: string | null | undefined
  #hasWarned = false
  /** The storage's work that is not done yet: what is asked for later is done later. */
  #busy: Promise<unknown> | undefined

  constructor(owner: Owner) {
    this.#owner = owner
  }

  /** What an earlier page left; `null` if nothing, or nothing that may be read here. */
  find(): TaskReference | null | Promise<TaskReference | null> {
    const { storage, key } = this.#owner
    return this.#do(
      () => storage.getItem(key),
      (text) => this.#read(text),
      null,
    )
  }

  /** Writes it down if more has changed than the time of the next read, or if `force`; `null` removes it. */
  save(reference: TaskReference | null, force = false): void {
    const { storage, key } = this.#owner
    const text = reference && JSON.stringify({ ...reference, nextReadAt: undefined })
    if (text === this.#written && !force) return
    this.#written = text
    const value = JSON.stringify(reference)
    void this.#do(
      () => (reference ? storage.setItem(key, value) : storage.removeItem(key)),
      () => {},
      undefined,
    )
  }

  #do<Given, Value>(work: () => Given | Promise<Given>, then: (given: Given) => Value, otherwise: Value) {
    const failed = (error: unknown) => {
      this.#warn(`the storage failed: ${error instanceof Error ? error.message : error}`)
      return otherwise
    }
    try {
      const given = this.#busy ? this.#busy.then(work) : work()
      if (!(given instanceof Promise)) return then(given as Given)
      const done = given.then(then).catch(failed)
      const busy: Promise<unknown> = done.finally(() => {
        if (this.#busy === busy) this.#busy = undefined
      })
      this.#busy = busy
      return done
    } catch (error) {
      return failed(error)
    }
  }

  #read(text: string | null): TaskReference | null {
    if (text === null) return null
    try {
      const reference: unknown = JSON.parse(text)
      const owner: Owner = this.#owner
      owner.check(reference)
      return reference
    } catch (error) {
      this.#warn(`what is stored is left alone. ${error instanceof TypeError ? error.message : 'It is no JSON.'}`)
      return null
    }
  }

  #warn(sentence: string) {
    if (this.#hasWarned) return
    this.#hasWarned = true
    console.warn(`mcp-task-machine, storage key "${this.#owner.key}": ${sentence}`)
  }
}
