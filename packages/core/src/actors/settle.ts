import { fromPromise } from 'xstate'
import { clampInterval, nextDelay } from '../connection/delay.ts'
import { hubOf } from '../connection/hub.ts'
import { activeProtocol, type Runtime, type RuntimeOf } from '../machine/runtime.ts'
import { readFailure } from '../wire/failure.ts'
import type { RequestOptions } from '../connection.ts'
import type { TaskContext } from '../machine/context.ts'
import type { JsonObject } from '../task.ts'
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
    const { settings } = runtime
    const { context } = machine.getSnapshot()
    let isOver = false
    const fetch = inTime(runtime, signal, (options) =>
      fetchPayload(runtime, context, options, () => isOver || signal.aborted),
    )
    const news = await fetch.finally(() => (isOver = true))
    const outcome = news.outcome && (await checkOutput(news.outcome, settings.output))
    const at = await retryAt(runtime, machine, outcome, news)
    return { ...news, ...(outcome && { outcome }), ...(at !== undefined && { retryAt: at }) }
  })
  return withRetry(once, (self) => {
    const machine = machineOf(self)
    const { pollInterval } = machine.getSnapshot().context.task ?? {}
    return repeated(runtimeOf, machine, { base: clampInterval(pollInterval, runtimeOf(machine).settings) })
  })
}

/** By the fetch that is open already, else by a new one. */
async function fetchPayload(
  runtime: Runtime,
  { protocol: name, task }: Pick<TaskContext, 'protocol' | 'task'>,
  options: RequestOptions,
  isOver: () => boolean,
): Promise<News> {
  const { connection } = runtime
  const protocol = activeProtocol(runtime, name)
  const taskId = task!.taskId!
  const read = async (fetch: Promise<JsonObject>) => {
    try {
      return protocol.readPayload(await fetch, task!, connection)
    } catch (error) {
      const failure = readFailure(error)
      const news = protocol.readError?.(failure, task!)
      if (news) return news
      throw failure
    }
  }
  const fetch = () => read(protocol.fetch(connection, taskId, options))
  const open = hubOf(connection).find(taskId)?.takeFetch()
  if (!open) return fetch()
  return read(open).catch((error: unknown) => {
    if (isOver()) throw error
    return fetch()
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
