import type { Clock } from '../connection.ts'

/** The clock of the process. The globals are looked up at each call, so that fake timers rule it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms),
  clearTimeout: (id) => clearTimeout(id as number),
}
