import type { Clock } from '../connection.ts'
import { expected } from '../options.ts'

/** A clock that moves only when it is told to. */
export interface TestClock extends Clock {
  /** How many timers wait. */
  readonly pending: number
  /**
   * Lets that many ms pass: runs the timers that fall due, in their order, and lets promises settle in between and at the end. `advance(0)` does
   * only the latter. Rejects with what a timer throws.
   */
  advance(ms: number): Promise<void>
  /** Lets time pass until no timer waits. Rejects after `limit` timers, since a poll arms itself again for ever. @default 1000 */
  runAll(limit?: number): Promise<void>
}

/** Longer waits fire at once, as those of JavaScript do. */
const longest = 2 ** 31 - 1

/** Lets everything happen that waits for promises only. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

/**
 * Makes a clock for tests.
 *
 * @param start ms since the Unix epoch; the default is the same in every run: 2027-01-15T08:00:00Z
 * @throws TypeError if that is no number
 */
export function createTestClock(start = 1_800_000_000_000): TestClock {
  expected(Number.isFinite(start), '`start` to be a number of ms since the Unix epoch')
  let now = start
  let count = 0
  const timers = new Map<number, { readonly at: number; run(): void }>()

  /** Runs the next timer that falls due until then. @returns whether there was one */
  async function runNext(until: number): Promise<boolean> {
    let next: { readonly id: number; readonly at: number; run(): void } | undefined
    for (const [id, timer] of timers) if (timer.at <= until && (!next || timer.at < next.at)) next = { id, ...timer }
    if (!next) return false
    const { id, at, run } = next
    timers.delete(id)
    now = Math.max(now, at)
    run()
    await settle()
    return true
  }

  return {
    now: () => now,
    setTimeout(run, ms) {
      const wait = ms >= 1 && ms <= longest ? ms : 1
      timers.set(++count, { at: now + wait, run })
      return count
    },
    clearTimeout: (id) => void timers.delete(id as number),
    get pending() {
      return timers.size
    },
    async advance(ms) {
      expected(Number.isFinite(ms) && ms >= 0, '`advance` to be given a number of ms, 0 or more')
      const end = now + ms
      await settle()
      while (await runNext(end));
      now = Math.max(now, end)
    },
    async runAll(limit = 1000) {
      expected(Number.isInteger(limit) && limit > 0, '`limit` to be a positive number of timers')
      await settle()
      for (let ran = 0; timers.size > 0; ran++) {
        if (ran === limit) throw new Error(`Timers still waited after ${limit} of them had run: use \`advance(ms)\`.`)
        await runNext(Infinity)
      }
    },
  }
}

/** Lets ms pass on any clock: a test clock is moved, others take their time. */
export function pass(clock: Clock, ms: number): Promise<void> {
  if ('advance' in clock) return (clock as TestClock).advance(ms)
  return new Promise((resolve) => void clock.setTimeout(resolve, ms))
}
