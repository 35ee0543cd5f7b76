import { isTerminal, type JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import { readTask } from '../wire/task.ts'

/** How many tasks of one view are known at once; beyond that the oldest is forgotten. */
const MOST = 1000

/** The tasks that a view has created, and which of them may still change. */
export class CreatedTasks {
  readonly #ids: Set<string>
  readonly #open = new Set<string>()
  readonly #onOpen: (open: readonly string[]) => void

  /** `onOpen` is told when another one may change, or none any more. */
  constructor(ids: Set<string>, onOpen: (open: readonly string[]) => void) {
    this.#ids = ids
    this.#onOpen = onOpen
  }

  has(taskId: unknown): boolean {
    return this.#ids.has(taskId as string)
  }

  /** Takes in the answer to a call, if it is a task. */
  add(answer: JsonObject): void {
    const taskId = isObject(answer) ? readTask(answer)?.taskId : undefined
    if (!taskId) return
    this.#ids.delete(taskId)
    this.#ids.add(taskId)
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MOST) break
      this.#ids.delete(oldest)
      this.#open.delete(oldest)
    }
    this.see(answer)
  }

  /** Looks at what is said about a task of the view. */
  see(said: JsonObject): void {
    const task = isObject(said) ? readTask(said) : null
    if (!task?.taskId || !this.has(task.taskId)) return
    const { size } = this.#open
    if (isTerminal(task.status)) this.#open.delete(task.taskId)
    else this.#open.add(task.taskId)
    if (this.#open.size > size || (size > 0 && this.#open.size === 0)) this.#onOpen([...this.#open])
  }
}
