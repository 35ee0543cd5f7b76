import type { AnyActorRef, PromiseActorLogic } from 'xstate'
import type { Clock } from '../connection.ts'
import { readFailure, type Failure } from '../wire/failure.ts'

/** When to try again. */
export interface RetryPlan {
  readonly clock: Clock
  /** ms until the next try after so many failures in a row; `null` = give up. */
  delay(failure: Failure, failures: number): number | null
}

const again = 'retry.again'

/**
 * Actor logic around promise logic: when the promise is rejected, the logic waits as the plan says and starts anew, in the same actor.
 * Whoever invokes it sees one actor that succeeds or fails once.
 */
export function withRetry<Output>(
  logic: PromiseActorLogic<Output>,
  planFor: (self: AnyActorRef) => RetryPlan,
): PromiseActorLogic<Output> {
  const tries = new WeakMap<object, { failures: number; stop?: () => void }>()
  return {
    ...logic,
    transition(state, event, scope) {
      const { self } = scope
      if ((event as { type: string }).type === again) {
        logic.start?.(state, scope)
        return state
      }
      const next = logic.transition(state, event, scope)
      if (next.status === 'active') return next
      const tried = tries.get(self) ?? { failures: 0 }
      tries.delete(self)
      tried.stop?.()
      if (next.status !== 'error') return next
      const failure = readFailure(next.error)
      const { clock, delay } = planFor(self)
      const wait = delay(failure, tried.failures + 1)
      if (wait === null) return { ...next, error: failure }
      const timer = clock.setTimeout(() => self.send({ type: again } as never), wait)
      tries.set(self, { failures: tried.failures + 1, stop: () => clock.clearTimeout(timer) })
      return state
    },
  }
}
