import { attempt } from '../connection/attempt.ts'
import type { ErrorRecord } from '../errors.ts'
import type { Runtime } from '../machine/runtime.ts'
import { readRetryPolicy, type RetryPolicy } from '../retry-policy.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import type { Machine } from './parent.ts'

/**
 * ms of the clock at which failed work is to be run again, by the caller's policy or else by the one that its tool declares;
 * `undefined` = not at all. Only a policy that has to be looked up is waited for.
 */
export function retryAt(runtime: Runtime, machine: Machine, outcome: Outcome | undefined, news: News) {
  return outcome?.as === 'failed' ? retryErrorAt(runtime, machine, outcome.error, news) : undefined
}

export function retryErrorAt(
  runtime: Runtime,
  machine: Machine,
  error: ErrorRecord,
  { mayRetry, isRepeatable }: News = {},
): number | undefined | Promise<number | undefined> {
  const { settings, connection } = runtime
  const decide = (policy: RetryPolicy | undefined) => {
    const { context } = machine.getSnapshot()
    const mayRun =
      // Run again is only what may run twice, or what the server offers to run again.
      (settings.idempotent || (mayRetry ?? context.mayRetry) === true) &&
      (context.args !== null || (isRepeatable ?? context.isRepeatable)) &&
      !context.cancelRequested
    if (!mayRun || (policy && !isWorthwhile(policy, context.attempt, error))) return undefined
    return { at: policy && connection.clock.now() + delayOf(policy, context.attempt) }
  }
  const decided = decide(settings.retryPolicy)
  if (!decided || settings.retryPolicy || !connection.toolMeta) return decided?.at
  return attempt(() => connection.toolMeta!(settings.tool)).then(
    (meta) => {
      const policy = readRetryPolicy(meta)
      const earliest = connection.clock.now() + settings.minPollInterval
      const at = policy && decide(policy)?.at
      // A server asks for no hurry, and for no patience without end.
      return at === undefined ? undefined : Math.min(Math.max(at, earliest), earliest + settings.maxPollInterval)
    },
    () => undefined,
  )
}

function isWorthwhile({ maxAttempts, retryOn, noRetryOn }: RetryPolicy, runs: number, error: ErrorRecord): boolean {
  const words = [error.kind, String(error.code), serverCode(error.data)]
  const named = (list: readonly string[] | undefined) => list?.some((word) => words.includes(word)) ?? false
  // A business error is an answer, not an accident: only a caller who names it gets it retried.
  return runs < maxAttempts && !named(noRetryOn) && (retryOn ? named(retryOn) : error.retryable === true)
}

function delayOf({ backoff = 'exponential', baseDelayMs = 1000 }: RetryPolicy, runs: number): number {
  return baseDelayMs * { exponential: 2 ** (runs - 1), linear: runs, fixed: 1 }[backoff]
}

/** The server's own code, as job tools and structured tool errors give it: `{ error: { code } }` or `{ code }`. */
function serverCode(data: unknown): string | undefined {
  const from = isObject(data) && isObject(data['error']) ? data['error'] : data
  return isObject(from) && from['code'] !== undefined ? String(from['code']) : undefined
}
