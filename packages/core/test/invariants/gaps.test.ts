import fc from 'fast-check'
import { test } from 'vitest'
import { checkGaps } from '../support/gaps.ts'
import { ops, schedules } from '../support/ops.ts'
import { says } from '../support/says.ts'

const intervals = [undefined, null, 0, 1000, 5000, 60_000]

test.each(intervals)(
  '6. between two reads lies the interval (%j), whatever is pushed, fails, or is looked at; only who asks may read now',
  async (interval) => {
    const say = says({ interval: fc.constant(interval), ttl: fc.constantFrom(null, undefined) })
    await fc.assert(
      fc.asyncProperty(schedules(ops(say)), (schedule) => checkGaps(schedule, interval, false)),
      { numRuns: 150 },
    )
  },
  60_000,
)

test.each([1000, 5000])(
  '6. the same with a lifetime: a deadline adds one read to those of the interval (%j)',
  async (interval) => {
    const say = says({ interval: fc.constant(interval), ttl: fc.constant(10_000) })
    await fc.assert(
      fc.asyncProperty(schedules(ops(say)), (schedule) => checkGaps(schedule, interval, true)),
      { numRuns: 100 },
    )
  },
  60_000,
)
