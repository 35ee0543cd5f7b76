import { expected } from './options.ts'
import { isObject } from './wire/json.ts'

/** Whether and how the *work* is run again after it failed (never a business error). */
export interface RetryPolicy {
  /** Runs in all, the first included. */
  readonly maxAttempts: number
  /** @default 'exponential' */
  readonly backoff?: 'exponential' | 'linear' | 'fixed'
  /** ms before the second run. @default 1000 */
  readonly baseDelayMs?: number
  /** TaskError kinds, JSON-RPC codes as strings, or the server's own error codes. @default whatever is `retryable` */
  readonly retryOn?: readonly string[]
  /** The same words; wins over `retryOn`. */
  readonly noRetryOn?: readonly string[]
}

/** Runs in all that a server may ask for. */
const most = 10

/** @throws TypeError if the caller's policy is not what it should be */
export function checkRetryPolicy(policy: unknown): asserts policy is RetryPolicy {
  const {
    maxAttempts,
    backoff = 'fixed',
    baseDelayMs = 0,
    retryOn = [],
    noRetryOn = [],
  } = isObject(policy) ? policy : {}
  const isList = (list: unknown) => Array.isArray(list) && list.every((word) => typeof word === 'string')
  expected(
    Number.isInteger(maxAttempts) && (maxAttempts as number) > 0,
    '`retryPolicy.maxAttempts` to be a positive integer',
  )
  expected(
    ['exponential', 'linear', 'fixed'].includes(backoff as string),
    '`retryPolicy.backoff` to be one of exponential, linear, fixed',
  )
  expected(typeof baseDelayMs === 'number' && baseDelayMs >= 0, '`retryPolicy.baseDelayMs` to be a number of ms')
  expected(isList(retryOn) && isList(noRetryOn), '`retryPolicy.retryOn` and `noRetryOn` to be lists of words')
}

/** The policy that a tool declares in its `_meta`; `undefined` if there is none that could be kept to. */
export function readRetryPolicy(meta: unknown): RetryPolicy | undefined {
  const policy = isObject(meta) ? meta['retryPolicy'] : undefined
  try {
    checkRetryPolicy(policy)
    return { ...policy, maxAttempts: Math.min(policy.maxAttempts, most) }
  } catch {
    return undefined
  }
}
