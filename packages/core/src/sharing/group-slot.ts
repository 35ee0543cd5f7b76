import type { TaskConnection } from '../connection.ts'
import { createTaskGroup, type TaskGroup, type TaskGroupOptions, type TaskGroupView } from '../group.ts'
import type { TaskRunner } from '../task-runner.ts'
import type { Place, Surroundings } from './place.ts'
import { isSameEnd } from './same-end.ts'

/** Options of a framework's `useTaskGroup`. The functions may change at any time; all else is read once, when the group is made. */
export interface UseTaskGroupOptions extends Omit<TaskGroupOptions, 'connection' | 'tool'> {
  /** @default that of the provider */
  readonly connection?: TaskConnection | undefined
}

/** What a component can do with its group. */
export type TaskGroupVerbs = Pick<TaskGroup, 'fire' | 'settled' | 'cancelAll'>

/** What a group shows. */
export const groupFields = ['views', 'counts', 'percent'] as const satisfies readonly (keyof TaskGroupView)[]

/** Verbs that stay the same whichever group is the one at the time. */
export function createGroupVerbs(current: () => TaskGroupVerbs): TaskGroupVerbs {
  return {
    fire: (tool, args, own) => current().fire(tool, args, own),
    settled: () => current().settled(),
    cancelAll: () => current().cancelAll(),
  }
}

/** The place that a component has, if it will do for what is given now, or a new one. */
export function placeInGroup(
  held: GroupSlot | undefined,
  { connection, inspect }: Surroundings,
  options: UseTaskGroupOptions,
): GroupSlot {
  return held?.fits(connection) ? held : new GroupSlot(connection, inspect ? { inspect, ...options } : options)
}

/** A component's group. Making one has no effect, so that it may be made while rendering, on a server too, and thrown away. */
export class GroupSlot implements Place<TaskGroupView, UseTaskGroupOptions> {
  options: UseTaskGroupOptions
  #connection: TaskConnection
  readonly #group: TaskGroup
  /** Whose connection is the group's. */
  readonly #runners: TaskRunner<any, any>[] = []
  #isEntered = false
  readonly getSnapshot: TaskGroup['getSnapshot']
  readonly getInitialView: TaskGroup['getInitialSnapshot']
  readonly subscribe: TaskGroup['subscribe']
  readonly verbs: TaskGroupVerbs

  constructor(connection: TaskConnection, options: UseTaskGroupOptions) {
    this.options = options
    this.#connection = connection
    const { connection: _, onInputRequired, ...rest } = options
    const group = createTaskGroup({
      ...rest,
      connection,
      onSettled: (view) => this.options.onSettled?.(view),
      onOrphan: (reference) => this.options.onOrphan?.(reference),
      onInputRequired:
        onInputRequired === undefined || typeof onInputRequired === 'function'
          ? (request) => {
              const answer = this.options.onInputRequired
              // Nobody answers by a function now: a person may, through the member's `respond`.
              return typeof answer === 'function' ? answer(request) : new Promise(() => {})
            }
          : onInputRequired,
    })
    this.#group = group
    const { getSnapshot, getInitialSnapshot, subscribe, settled, cancelAll } = group
    this.getSnapshot = getSnapshot
    this.getInitialView = getInitialSnapshot
    this.subscribe = subscribe
    const fire: TaskGroup['fire'] = (tool, args, own) => {
      const runner = group.fire(tool, args, { connection: this.#connection, ...own })
      if (!own?.connection) this.#runners.push(runner)
      return runner
    }
    this.verbs = { fire, settled, cancelAll }
  }

  /** Whether this group will do over that connection: the same, or another one to its endpoint. */
  fits(connection: TaskConnection): boolean {
    return isSameEnd(this.#connection, connection)
  }

  connect(connection: TaskConnection): void {
    if (connection === this.#connection) return
    this.#connection = connection
    for (const runner of this.#runners) if (isAlive(runner)) runner.useConnection(connection)
  }

  /**
   * The component is there. When it is gone for good, so is the group, in the way that `onUnmount` says; entering again within the same tick
   * (a component that is refreshed in place) is no farewell.
   *
   * @returns how to leave
   */
  readonly enter = (): (() => void) => {
    this.#isEntered = true
    return () => {
      this.#isEntered = false
      queueMicrotask(() => {
        if (!this.#isEntered) this.#end()
      })
    }
  }

  readonly watch = (changed: () => void): (() => void) => {
    const [leave, stop] = [this.enter(), this.subscribe(changed)]
    changed()
    return () => {
      stop()
      leave()
    }
  }

  #end() {
    const { settled, cancelAll, dispose } = this.#group
    const { onUnmount } = this.options
    if (onUnmount === 'keep') void settled().then(dispose)
    else if (onUnmount === 'cancel') void cancelAll().then(dispose)
    else dispose()
  }
}

const isAlive = ({ actor }: TaskRunner<any, any>) =>
  (actor as { getSnapshot(): { readonly status: string } }).getSnapshot().status === 'active'
