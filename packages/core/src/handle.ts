import type { TaskRunner } from './task-runner.ts'
import type { Task, ToolResult } from './task.ts'
import type { TaskActor, Waits } from './waits.ts'

/** One call that was answered: by a task that goes on, or outright (then `task.taskId` is `null` and `result()` resolves at once). */
export interface TaskHandle<Output = unknown> {
  /** The newest snapshot. */
  readonly task: Task
  /** Like the runner's `result`, for this run only: rejects as `superseded` once another run has begun. */
  result(options?: { signal?: AbortSignal }): Promise<ToolResult<Output>>
  /** Calls back with each new snapshot of this run. Counts as watching. */
  onStatus(listener: (task: Task) => void): () => void
  /** Reads once, now. */
  refresh(): Promise<Task>
  cancel(): Promise<void>
}

type Verbs = Pick<TaskRunner, 'subscribe' | 'refresh' | 'cancel'>

/** The handle of one run. Its verbs are bound, like the runner's. */
export class Handle<Output> implements TaskHandle<Output> {
  readonly #epoch: number
  readonly #actor: TaskActor
  #last: Task
  readonly result: TaskHandle<Output>['result']
  readonly onStatus: TaskHandle<Output>['onStatus']
  readonly refresh: TaskHandle<Output>['refresh']
  readonly cancel: TaskHandle<Output>['cancel']

  constructor(epoch: number, answer: Task, actor: TaskActor, runner: Verbs, waits: Waits<Output>) {
    this.#epoch = epoch
    this.#actor = actor
    this.#last = answer
    this.result = ({ signal } = {}) => waits.result(epoch, signal)
    this.onStatus = (listener) => {
      let told = this.task
      return runner.subscribe(() => {
        const before = told
        told = this.task
        if (told !== before) listener(told)
      })
    }
    this.refresh = async () => {
      if (this.#isCurrent) await runner.refresh()
      return this.task
    }
    this.cancel = async () => {
      if (this.#isCurrent) await runner.cancel()
    }
  }

  get #isCurrent() {
    return this.#actor.getSnapshot().context.epoch === this.#epoch
  }

  get task(): Task {
    const { task } = this.#actor.getSnapshot().context
    if (this.#isCurrent && task) this.#last = task
    return this.#last
  }
}
