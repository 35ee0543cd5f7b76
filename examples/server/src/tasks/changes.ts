import type { Database } from '../database/database.ts'
import { CHANNELS } from './schema.ts'

/** Tells who is interested that a task has changed, whichever process changed it. What changed is read from the store. */
export class TaskChanges {
  readonly #listeners = new Map<string, Set<() => void>>()

  async start(database: Database): Promise<void> {
    await database.listen(
      CHANNELS.taskChanged,
      (id) => this.#tell(this.#listeners.get(id)),
      () => {
        for (const listeners of this.#listeners.values()) this.#tell(listeners)
      },
    )
  }

  /** Calls `listener` after each change of a task, until the returned function is called. */
  watch(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  #tell(listeners: ReadonlySet<() => void> | undefined): void {
    for (const listener of listeners ?? []) listener()
  }
}
