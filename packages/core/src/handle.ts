import type { TaskRunner } from './runner.ts'
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

export function createHandle<Output>(
  epoch: number,
  answer: Task,
  actor: TaskActor,
  runner: Pick<TaskRunner, 'subscribe' | 'refresh' | 'cancel'>,
  waits: Waits<Output>,
): TaskHandle<Output> {
  let last = answer
  const current = () => {
    const { context } = actor.getSnapshot()
    if (context.epoch === epoch && context.task) last = context.task
    return last
  }
  const isCurrent = () => actor.getSnapshot().context.epoch === epoch
  return {
    get task() {
      return current()
    },
    result: ({ signal } = {}) => waits.result(epoch, signal),
    onStatus(listener) {
      let told = current()
      return runner.subscribe(() => {
        const before = told
        told = current()
        if (told !== before) listener(told)
      })
    },
    async refresh() {
      if (isCurrent()) await runner.refresh()
      return current()
    },
    async cancel() {
      if (isCurrent()) await runner.cancel()
    },
  }
}
