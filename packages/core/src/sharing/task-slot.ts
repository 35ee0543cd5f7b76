import type { TaskConnection } from '../connection.ts'
import { expected } from '../options.ts'
import type { TaskRunner } from '../task-runner.ts'
import type { TaskView } from '../view.ts'
import type { Place, Surroundings } from './place.ts'
import { isSameEnd } from './same-end.ts'
import { findTask, idleView, SharedTask, type Sharer, type UseTaskOptions } from './shared-task.ts'

/** What a view shows. */
export const viewFields = Object.keys(idleView) as readonly (keyof TaskView)[]

/** The place that a component has, if it will do for what is given now, or a new one. */
export function placeAtTask<Input, Output>(
  held: TaskSlot<Input, Output> | undefined,
  { connection, inspect }: Surroundings,
  tool: string,
  options: UseTaskOptions<Output>,
): TaskSlot<Input, Output> {
  if (held?.fits(connection, tool, options.key)) return held
  return new TaskSlot(connection, tool, inspect ? { inspect, ...options } : options)
}

/**
 * A component's place at a task. Making one has no effect, so that it may be made while rendering, on a server too, and thrown away;
 * a runner is shared only between components that {@link enter}.
 */
export class TaskSlot<Input, Output> implements Sharer, Place<TaskView<Output>, UseTaskOptions<Output>> {
  /** Those of the last render: its functions are the ones that are called. */
  options: UseTaskOptions<Output>
  readonly #tool: string
  #task: SharedTask
  #leave = () => {}
  #changed = () => {}

  constructor(connection: TaskConnection, tool: string, options: UseTaskOptions<Output>) {
    this.options = options
    this.#tool = tool
    this.#task = findTask(connection, options.key) ?? new SharedTask(connection, tool, this)
  }

  /**
   * The shared runner of the key, or the slot's own. Another one only while entering, or when somebody else enters with a run.
   *
   * @throws TypeError if the key is in use for another tool
   */
  readonly getRunner = (): TaskRunner<Input, Output> => {
    const { runner, tool } = this.#task
    expected(this.#isRightTool, `one tool per \`key\`: this one is in use for ${tool}, not ${this.#tool}`)
    return runner
  }

  readonly getSnapshot = (): TaskView<Output> => this.getRunner().getSnapshot()

  get #isRightTool(): boolean {
    return this.#task.tool === this.#tool
  }

  /** What a server renders and hydration starts from. */
  readonly getInitialView = (): TaskView<Output> => this.options.initialView ?? idleView

  /** Whether this slot will do for what is wanted now: the same tool and key, over this connection or another one to its endpoint. */
  fits(connection: TaskConnection, tool: string, key: string | undefined): boolean {
    const task = this.#task
    return isSameEnd(task.connection, connection) && tool === this.#tool && key === task.key
  }

  /**
   * The component is there to stay: from now on it shares.
   *
   * @param changed called when another runner is in the slot
   * @returns how to leave
   */
  readonly enter = (changed: () => void): (() => void) => {
    const own = this.#task
    const known = findTask(own.connection, own.key) ?? own
    this.#changed = changed
    // Called before it was entered, while the other one has nothing to show: whoever is there follows the call.
    const goesOn = known.tool === own.tool && isIdle(known) && !isIdle(own)
    if (goesOn) known.giveWay(own)
    this.move(goesOn ? own : known)
    return () => this.#leave()
  }

  /** Enters, and follows whichever runner is in the slot. @param changed called on every visible change, and once at once */
  readonly watch = (changed: () => void): (() => void) => {
    let stop = () => {}
    const follow = () => {
      stop()
      if (this.#isRightTool) stop = this.#task.runner.subscribe(changed)
      changed()
    }
    const leave = this.enter(follow)
    follow()
    return () => {
      stop()
      leave()
    }
  }

  move(task: SharedTask): void {
    const isOther = task !== this.#task
    this.#leave()
    this.#task = task
    // Not here: an effect must not throw. Whoever asks for the runner is told.
    this.#leave = this.#isRightTool ? task.join(this) : () => {}
    if (isOther) this.#changed()
  }

  /** Goes on over this connection, which the slot fits. */
  connect(connection: TaskConnection): void {
    this.#task.connect(connection)
  }
}

const isIdle = ({ runner }: SharedTask) => runner.getSnapshot().isIdle
