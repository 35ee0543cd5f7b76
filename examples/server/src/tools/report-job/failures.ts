import { setTimeout as delay } from 'node:timers/promises'
import { CallFailed, RunEnded } from '../../tasks/errors.ts'
import type { Work } from '../../tasks/work.ts'

/** The code of a job that was not done in its time. */
export const TIMEOUT = 'timeout'
const TRANSIENT = 'transient_error'
const REFUSED = 'query_refused'

/** What a client may do by itself about a job that has failed (`retryPolicy` in the `_meta` of `start_report`). */
export const RETRY_POLICY: {
  readonly maxAttempts: number
  readonly backoff: string
  readonly baseDelayMs: number
  readonly retryOn: readonly string[]
  readonly noRetryOn: readonly string[]
} = {
  maxAttempts: 3,
  backoff: 'exponential',
  baseDelayMs: 1000,
  retryOn: [TRANSIENT, TIMEOUT],
  noRetryOn: [REFUSED],
}

/** The arguments that make a job go wrong, so that clients can be tried on it. */
export const FAILURE_ARGUMENTS = {
  fail: {
    enum: ['once', 'always', 'refused'],
    description:
      'Fails half-way: `once` at the first attempt only, `always` at every attempt, `refused` with an error that no retry helps against.',
  },
  timeoutSeconds: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 3600,
    description: 'The job times out when it is not done this long after its start, waiting included.',
  },
  stopSeconds: {
    type: 'number',
    minimum: 0,
    maximum: 4,
    default: 0,
    description: 'How long the work needs to stop when it is cancelled.',
  },
}

/** The same work, going wrong as its arguments ask for. */
export function withFailures(work: Work): Work {
  const { fail, timeoutSeconds = Infinity } = work.args
  const until = work.acceptedAt.getTime() + Number(timeoutSeconds) * 1000
  return {
    ...work,
    async step(step) {
      const { progress = 0, total = 0 } = step
      // How many sources there are is known once they have been searched.
      await work.step(progress === 0 ? { message: step.message } : step)
      if (progress < total / 2) return
      if (fail === 'refused') throw failure(REFUSED, 'The sources refuse to answer this question.')
      if (fail === 'always' || (fail === 'once' && work.attempt === 1))
        throw failure(TRANSIENT, 'A source hung up in the middle of a sentence.')
    },
    async pause(ms) {
      const left = Math.max(until - Date.now(), 0)
      await work.pause(Math.min(ms, left))
      if (left < ms) throw failure(TIMEOUT, `It was not done within ${Number(timeoutSeconds)} s.`)
    },
  }
}

/** Takes `stopSeconds` to end after a cancel, as work does that must not be left in the middle of something. */
export async function stoppingSlowly<T>({ args }: Work, run: Promise<T>): Promise<T> {
  try {
    return await run
  } catch (error) {
    if (error instanceof RunEnded && error.reason === 'cancelled') await delay(Number(args['stopSeconds'] ?? 0) * 1000)
    throw error
  }
}

function failure(code: string, message: string): CallFailed {
  return new CallFailed({ code: -32603, message, data: { code } })
}
