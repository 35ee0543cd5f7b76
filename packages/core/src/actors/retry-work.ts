import type { TaskContext } from '../machine/context.ts'
import type { Runtime } from '../machine/runtime.ts'
import type { ErrorRecord } from '../errors.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'

/** ms of the clock at which failed work is to be run again by the caller's policy; `undefined` = not at all. */
export function retryAt(
  runtime: Runtime,
  context: TaskContext,
  outcome: Outcome | undefined,
  news: News,
): number | undefined {
  if (outcome?.as !== 'failed') return undefined
  const mayRetry = news.mayRetry ?? context.mayRetry
  const isRepeatable = news.isRepeatable ?? context.isRepeatable
  return retryErrorAt(runtime, { ...context, mayRetry, isRepeatable }, outcome.error)
}

export function retryErrorAt(
  { settings, connection }: Runtime,
  context: TaskContext,
  error: ErrorRecord,
): number | undefined {
  const policy = settings.retryPolicy
  if (
    !policy ||
    // Run again is only what may run twice, or what the server offers to run again.
    !(settings.idempotent || context.mayRetry === true) ||
    (context.args === null && !context.isRepeatable) ||
    context.cancelRequested ||
    context.attempt >= policy.maxAttempts
  )
    return undefined
  const words = [error.kind, String(error.code), serverCode(error.data)]
  const named = (list: readonly string[] | undefined) => list?.some((word) => words.includes(word)) ?? false
  // A business error is an answer, not an accident: only a caller who names it gets it retried.
  if (named(policy.noRetryOn) || !(policy.retryOn ? named(policy.retryOn) : error.retryable === true)) return undefined
  const { backoff = 'exponential', baseDelayMs = 1000 } = policy
  const factor = { exponential: 2 ** (context.attempt - 1), linear: context.attempt, fixed: 1 }[backoff]
  return connection.clock.now() + baseDelayMs * factor
}

/** The server's own code, as job tools and structured tool errors give it: `{ error: { code } }` or `{ code }`. */
function serverCode(data: unknown): string | undefined {
  const from = isObject(data) && isObject(data['error']) ? data['error'] : data
  return isObject(from) && from['code'] !== undefined ? String(from['code']) : undefined
}
