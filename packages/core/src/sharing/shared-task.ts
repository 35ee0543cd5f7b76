import { callOut } from '../call-out.ts'
import type { TaskConnection } from '../connection.ts'
import { initialContext } from '../machine/context.ts'
import { createView } from '../machine/to-view.ts'
import type { TaskOptions } from '../options.ts'
import { createTaskRunner } from '../runner.ts'
import type { TaskRunner } from '../task-runner.ts'
import type { TaskView } from '../view.ts'

/** Options of a framework's `useTask`. The functions may change at any time; all else is read once, when the runner is made. */
export interface UseTaskOptions<Output = unknown> extends Omit<TaskOptions<Output>, 'connection' | 'tool'> {
  /** @default that of the provider */
  readonly connection?: TaskConnection | undefined
  /** Components with the same key on the same connection share one runner; it is kept for five minutes after its last use. */
  readonly key?: string | undefined
}

/** What nothing has happened to looks like: the same object everywhere, so that it is never drawn twice. */
export const idleView: TaskView<never> = createView('idle', initialContext)

/** Who shares a task: the options of the moment, and where to go when the task gives way to another one. */
export interface Sharer {
  readonly options: UseTaskOptions<any>
  move(task: SharedTask): void
}

/** ms that a task is kept after nobody watches it and it is at rest. */
const keptFor = 5 * 60_000

const tasks = new WeakMap<TaskConnection, Map<string, SharedTask>>()

/** The task that goes by this key now. */
export function findTask(connection: TaskConnection, key: string | undefined): SharedTask | undefined {
  return key === undefined ? undefined : tasks.get(connection)?.get(key)
}

/** A runner and those who share it. Known by its key only once someone joins: nothing that renders on a server does. */
export class SharedTask {
  readonly tool: string
  readonly key: string | undefined
  readonly runner: TaskRunner<any, any>
  connection: TaskConnection
  readonly #present = new Set<Sharer>()
  /** Who made it, or left last: a run may end when nobody is there. */
  #last: Sharer
  #users = 0
  #isKept = false
  #timer: unknown

  constructor(connection: TaskConnection, tool: string, maker: Sharer) {
    const { key, connection: _, onInputRequired, ...options } = maker.options
    this.connection = connection
    this.tool = tool
    this.key = key
    this.#last = maker
    this.runner = createTaskRunner<any, any>({
      initialView: idleView,
      ...options,
      connection,
      tool,
      onSettled: (view) => this.#tell((sharer) => sharer.options.onSettled?.(view)),
      onOrphan: (reference) => this.#tell((sharer) => sharer.options.onOrphan?.(reference)),
      onInputRequired:
        onInputRequired === undefined || typeof onInputRequired === 'function'
          ? (request) => {
              const answer = this.#sharers.map((sharer) => sharer.options.onInputRequired).findLast(isFunction)
              // Nobody answers by a function now: a person may, through `respond`.
              return answer ? answer(request) : new Promise(() => {})
            }
          : onInputRequired,
    })
    if (key !== undefined) this.#observe()
  }

  get #sharers(): readonly Sharer[] {
    return this.#present.size > 0 ? [...this.#present] : [this.#last]
  }

  #tell(call: (sharer: Sharer) => void) {
    for (const sharer of this.#sharers) callOut(call, sharer)
  }

  #observe() {
    const { actor, subscribe } = this.runner
    const { subscribe: follow } = actor as { subscribe(observer: { next(): void; complete(): void }): unknown }
    follow.call(actor, { next: () => this.#look(), complete: () => this.#drop() })
    this.runner.subscribe = (listener) => {
      const [stop, leave] = [subscribe(listener), this.#use()]
      return () => {
        stop()
        leave()
      }
    }
  }

  /** Makes it known by its key. */
  #keep() {
    const { connection, key } = this
    if (key === undefined) return
    this.#isKept = true
    const known = tasks.get(connection) ?? new Map<string, SharedTask>()
    tasks.set(connection, known.set(key, this))
  }

  #drop() {
    const known = tasks.get(this.connection)
    if (known?.get(this.key!) === this) known.delete(this.key!)
    this.#isKept = false
  }

  /** Another task takes its key, and those who are here. */
  giveWay(task: SharedTask): void {
    this.#drop()
    for (const sharer of [...this.#present]) sharer.move(task)
  }

  /** Goes on over another connection to the same endpoint, and is known there. */
  connect(connection: TaskConnection): void {
    if (connection === this.connection) return
    const wasKept = this.#isKept
    this.#drop()
    this.connection = connection
    this.runner.useConnection(connection)
    if (wasKept) this.#keep()
  }

  /** From now on it is known by its key and kept for the sharer, whose functions are called. @returns how to leave */
  join(sharer: Sharer): () => void {
    this.#keep()
    const leave = this.#use()
    this.#present.add(sharer)
    return () => {
      this.#present.delete(sharer)
      this.#last = sharer
      leave()
    }
  }

  #use(): () => void {
    let isUsed = true
    this.#users++
    this.#look()
    return () => {
      if (!isUsed) return
      isUsed = false
      this.#users--
      this.#look()
    }
  }

  /** Kept while it is watched or in flight; then its time runs. */
  #look() {
    const { clock } = this.connection
    if (!this.#isKept || this.#users > 0 || this.runner.getSnapshot().isWorking) {
      if (this.#timer !== undefined) clock.clearTimeout(this.#timer)
      this.#timer = undefined
    } else if (this.#timer === undefined) {
      this.#timer = clock.setTimeout(() => this.#drop(), keptFor)
      // A process has no reason to wait for this.
      ;(this.#timer as { unref?(): void } | undefined)?.unref?.()
    }
  }
}

const isFunction = <Value>(value: Value): value is Extract<Value, (...args: never[]) => unknown> =>
  typeof value === 'function'
