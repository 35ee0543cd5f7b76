import { fromPromise } from 'xstate'
import { clampInterval, nextDelay } from '../connection/delay.ts'
import { activeProtocol, type RuntimeOf } from '../machine/runtime.ts'
import type { News } from '../wire/news.ts'
import { checkOutput } from '../wire/result.ts'
import { inTime } from './in-time.ts'
import { machineOf } from './parent.ts'
import { retryAt } from './retry-work.ts'
import { withRetry } from './with-retry.ts'

/** Fetches the payload of a task that has ended; a passing failure is repeated, and never fails the task (AUG-RESULT-6). */
export function settle(runtimeOf: RuntimeOf) {
  const once = fromPromise<News>(async ({ self, signal }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    const { settings, connection } = runtime
    const { context } = machine.getSnapshot()
    const protocol = activeProtocol(runtime, context.protocol)
    const news = await inTime(runtime, signal, (options) => protocol.settle(connection, context.task!, options))
    const outcome = news.outcome && (await checkOutput(news.outcome, settings.output))
    const at = retryAt(runtime, machine.getSnapshot().context, outcome)
    return { ...news, ...(outcome && { outcome }), ...(at !== undefined && { retryAt: at }) }
  })
  return withRetry(once, (self) => {
    const machine = machineOf(self)
    const { pollInterval } = machine.getSnapshot().context.task ?? {}
    return repeated(runtimeOf, machine, { base: clampInterval(pollInterval, runtimeOf(machine).settings) })
  })
}

const passing: readonly string[] = ['transient', 'unsent', 'malformed']

/** Repeats what failed in passing, until `maxWait` or too many failures in a row. */
export function repeated(
  runtimeOf: RuntimeOf,
  machine: ReturnType<typeof machineOf>,
  { base, onFailure }: { base?: number; onFailure?: () => void } = {},
) {
  const { settings, connection } = runtimeOf(machine)
  return {
    clock: connection.clock,
    delay(failure: Parameters<typeof nextDelay>[1] & { sort: string; answered: boolean }, failures: number) {
      if (!passing.includes(failure.sort)) return null
      if (failure.sort === 'transient') onFailure?.()
      const { deadlines } = machine.getSnapshot().context
      if (failures >= settings.maxPollFailures || (deadlines.wait ?? Infinity) <= connection.clock.now()) return null
      return nextDelay(
        { base: base ?? settings.minPollInterval, longest: settings.maxPollInterval, random: connection.random },
        failure,
        failures,
      )
    },
  }
}
