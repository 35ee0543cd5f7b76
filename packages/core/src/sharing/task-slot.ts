import type { TaskConnection } from '../connection.ts'
import type { TaskRunner } from '../task-runner.ts'
import type { TaskView } from '../view.ts'
import { findTask, idleView, SharedTask, type UseTaskOptions } from './shared-task.ts'
import { createVerbs, type TaskVerbs } from './verbs.ts'

/**
 * A component's place at a task. Making one has no effect, so that it may be made while rendering, on a server too, and thrown away;
 * a runner is shared only between components that {@link enter}.
 */
export class TaskSlot<Input, Output> {
  /** Those of the last render: its functions are the ones that are called. */
  options: UseTaskOptions<Output>
  /** Drive whichever runner is in the slot. */
  readonly verbs: TaskVerbs<Input, Output>
  #task: SharedTask

  constructor(connection: TaskConnection, tool: string, options: UseTaskOptions<Output>) {
    this.options = options
    this.verbs = createVerbs(this.getRunner)
    this.#task = findTask(connection, tool, options.key) ?? new SharedTask(connection, tool, this)
  }

  /** The shared runner of the key, or the slot's own. May change once, on entering. */
  readonly getRunner = (): TaskRunner<Input, Output> => this.#task.runner

  /** What a server renders and hydration starts from. */
  readonly getInitialView = (): TaskView<Output> => this.options.initialView ?? idleView

  /** Whether this slot will do for what is wanted now: the same tool and key, over this connection or another one to its endpoint. */
  fits(connection: TaskConnection, tool: string, key: string | undefined): boolean {
    const task = this.#task
    const { endpoint } = task.connection
    const isSameEnd = connection === task.connection || (endpoint !== '' && endpoint === connection.endpoint)
    return isSameEnd && tool === task.tool && key === task.key
  }

  /** The component is there to stay: from now on it shares. @returns how to leave */
  enter(): () => void {
    const { connection, tool, key } = this.#task
    this.#task = findTask(connection, tool, key) ?? this.#task
    this.#task.keep()
    return this.#task.join(this)
  }

  /** Goes on over this connection, which the slot fits. */
  connect(connection: TaskConnection): void {
    this.#task.connect(connection)
  }
}
