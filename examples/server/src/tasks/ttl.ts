import type { Settings } from '../settings.ts'

// What the database's integer holds: 24 days.
const LONGEST_MS = 2 ** 31 - 1

/**
 * The lifetime of a task (ms from its creation, `null` for ever): the settings' own, or what was asked for, but no longer
 * than the settings allow and long enough to be read once at the pace that clients are asked to keep.
 */
export function ttlWithin({ ttlMs, pollIntervalMs }: Settings, asked: number | undefined): number | null {
  if (asked === undefined) return ttlMs
  return Math.min(Math.max(Math.ceil(asked), pollIntervalMs), ttlMs ?? LONGEST_MS)
}
