import { assign, type ActionFunction, type AnyActorRef } from 'xstate'
import { clampInterval } from '../../connection/delay.ts'
import type { TaskContext } from '../context.ts'
import type { RuntimeOf } from '../runtime.ts'

// Actions hear events of every kind; `heard.ts` knows their parts, so the type of the event is left open here.
export type Action<Params extends object | undefined = undefined> = ActionFunction<
  TaskContext,
  any,
  any,
  Params,
  any,
  any,
  any,
  never,
  any
>

/** What an action is given. */
export interface Moment {
  readonly context: TaskContext
  readonly event: object
  readonly self: AnyActorRef
}

/** Writes down what an event means. */
export const write = (change: (moment: Moment) => Partial<TaskContext>) =>
  assign((moment) => change(moment as unknown as Moment)) as Action

/** What the clock of a run's connection says, all in ms. */
export function timeOf(runtimeOf: RuntimeOf) {
  const now = (self: AnyActorRef) => runtimeOf(self).connection.clock.now()
  return {
    now,
    /** That much later than now; `null` = never. */
    after: (self: AnyActorRef, ms: number | undefined) => (ms === undefined ? null : now(self) + ms),
    /** The pace of reading. */
    interval: ({ context, self }: Pick<Moment, 'context' | 'self'>) =>
      clampInterval(context.task?.pollInterval, runtimeOf(self).settings),
  }
}

export function without<Item>(items: readonly Item[], ...unwanted: readonly Item[]): readonly Item[] {
  return items.some((item) => unwanted.includes(item)) ? items.filter((item) => !unwanted.includes(item)) : items
}
