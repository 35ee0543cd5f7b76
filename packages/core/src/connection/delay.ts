import type { Failure } from '../wire/failure.ts'

/** How to wait between tries of a request. */
export interface BackOff {
  /** ms before the first repetition, and never less than this. */
  readonly base: number
  /** ms at most. */
  readonly longest: number
  readonly random: () => number
}

/**
 * ms until the next try after so many failures in a row (1 for the first): exponential with up to half as much jitter on top,
 * never earlier than the base or than the server asked for (RETRY-6, P23).
 */
export function nextDelay(
  { base, longest, random }: BackOff,
  failure: Pick<Failure, 'retryAfter'>,
  failures: number,
): number {
  const backOff = Math.min(base * 2 ** (failures - 1), longest) * (1 + random() / 2)
  return Math.max(base, backOff, failure.retryAfter ?? 0)
}

/** The server's hint within the limits the caller set. */
export function clampInterval(
  hint: number | undefined,
  {
    pollInterval,
    minPollInterval,
    maxPollInterval,
  }: Record<'pollInterval' | 'minPollInterval' | 'maxPollInterval', number>,
): number {
  const interval = hint === undefined || Number.isNaN(hint) ? pollInterval : hint
  return Math.min(Math.max(interval, minPollInterval), maxPollInterval)
}
