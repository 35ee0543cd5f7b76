import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clampInterval, nextDelay } from '../../src/connection/delay.ts'
import { Scheduler, type Job } from '../../src/connection/scheduler.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const clock = {
  now: () => Date.now(),
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
  clearTimeout: (id: unknown) => clearTimeout(id as never),
}
const day = 86_400_000

describe('the scheduler', () => {
  const create = () => {
    const done: string[] = []
    const scheduler = new Scheduler(clock)
    const job = (name: string, run = () => void done.push(name)): Job => ({ run })
    return { done, scheduler, job, in: (ms: number, given: Job) => scheduler.at(Date.now() + ms, given) }
  }

  test('arms no timer before there is a job, one for many jobs, and none after them', () => {
    const { scheduler, job, in: at } = create()
    expect(vi.getTimerCount()).toBe(0)
    const jobs = Array.from({ length: 100 }, (_, nth) => job(String(nth)))
    for (const [nth, each] of jobs.entries()) at(nth * 10, each)
    expect(vi.getTimerCount()).toBe(1)
    for (const each of jobs) scheduler.drop(each)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does thousands of jobs in order, whatever is moved or dropped meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.nat(5000), move: fc.option(fc.nat(5000)), drop: fc.boolean() }), {
          maxLength: 2000,
        }),
        async (plans) => {
          const start = Date.now()
          const scheduler = new Scheduler(clock)
          const done: number[] = []
          const due = plans.map(({ at, move }) => start + (move ?? at))
          const jobs = plans.map((_, nth): Job => ({
            run() {
              expect(Date.now()).toBeGreaterThanOrEqual(due[nth]!)
              done.push(due[nth]!)
            },
          }))
          for (const [nth, { at }] of plans.entries()) scheduler.at(start + at, jobs[nth]!)
          for (const [nth, { move }] of plans.entries()) if (move !== null) scheduler.at(start + move, jobs[nth]!)
          for (const [nth, { drop }] of plans.entries()) if (drop) scheduler.drop(jobs[nth]!)
          await vi.advanceTimersByTimeAsync(5001)
          expect(done).toEqual(due.filter((_, nth) => !plans[nth]!.drop).toSorted((a, b) => a - b))
          expect(vi.getTimerCount()).toBe(0)
        },
      ),
      { numRuns: 30 },
    )
  })

  test.each([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32, 100 * day])('waits %i ms in slices', (ms) => {
    const { done, job, in: at } = create()
    at(ms, job('late'))
    vi.advanceTimersByTime(ms - 1)
    expect(done).toEqual([])
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)
    expect(done).toEqual(['late'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([Infinity, -Infinity, NaN])('never does a job at %d, not even one it would have done', (due) => {
    const { done, scheduler, job, in: at } = create()
    const moved = job('moved')
    at(5, moved)
    scheduler.at(due, moved)
    scheduler.drop(moved)
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(day)
    expect(done).toEqual([])
  })

  test.each([-5, 0, 0.4, 1.5])('a job %d ms from now is done once, and not too early', (ms) => {
    const { done, job, in: at } = create()
    at(ms, job('soon'))
    expect(done).toEqual([])
    vi.advanceTimersByTime(Math.max(0, Math.ceil(ms)))
    expect(done).toEqual(['soon'])
    vi.advanceTimersByTime(day)
    expect(done).toEqual(['soon'])
  })

  test('the clock is set back: what waits is done after its time has passed, not an hour later', () => {
    const { done, job, in: at } = create()
    at(1000, job('first'))
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(1000)
    expect(done).toEqual(['first'])
  })

  test('the clock is set forward: what is due is done when the timer fires, once', async () => {
    const { done, job, in: at } = create()
    at(1000, job('first'))
    at(2000, job('second'))
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(done).toEqual(['first', 'second'])
    await vi.advanceTimersByTimeAsync(day)
    expect(done).toEqual(['first', 'second'])
  })

  test('a job may schedule itself and drop others while it is done', async () => {
    const { done, scheduler, in: at } = create()
    const other: Job = { run: () => void done.push('other') }
    const again: Job = {
      run() {
        done.push('again')
        scheduler.drop(other)
        if (done.length < 3) at(10, again)
      },
    }
    at(10, again)
    at(10, other)
    await vi.advanceTimersByTimeAsync(1000)
    expect(done).toEqual(['again', 'again', 'again'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a job that throws does not keep the others from being done', async () => {
    const { done, job, in: at } = create()
    at(
      10,
      job('bad', () => {
        throw new Error('a fault of one job')
      }),
    )
    at(10, job('same time'))
    at(20, job('later'))
    for (let tries = 0; tries < 3; tries++) {
      try {
        await vi.advanceTimersByTimeAsync(20)
      } catch (error) {
        expect(error).toMatchObject({ message: 'a fault of one job' })
      }
    }
    expect(done).toEqual(['same time', 'later'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the wait before the next try', () => {
  const backOff = { base: 1000, longest: 60_000, random: () => 0 }

  test('doubles, up to the longest', () => {
    const waits = [1, 2, 3, 4, 10, 100, 2000].map((failures) => nextDelay(backOff, {}, failures))
    expect(waits).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000, 60_000])
  })

  test('has up to half as much jitter on top, and never less', () => {
    expect(nextDelay({ ...backOff, random: () => 0.999 }, {}, 1)).toBeCloseTo(1499.5)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 3_600_000 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (base, longest, failures, random) => {
          const wait = nextDelay({ base, longest, random: () => random }, {}, failures)
          expect(wait).toBeGreaterThanOrEqual(base)
          expect(wait).toBeLessThanOrEqual(Math.max(base, longest * 1.5))
        },
      ),
    )
  })

  test('is never shorter than the server asked for', () => {
    expect(nextDelay(backOff, { retryAfter: 7000 }, 1)).toBe(7000)
    expect(nextDelay(backOff, { retryAfter: 7000 }, 5)).toBe(16_000)
    expect(nextDelay(backOff, { retryAfter: 0 }, 1)).toBe(1000)
  })
})

describe('the interval', () => {
  const limits = { pollInterval: 2000, minPollInterval: 250, maxPollInterval: 60_000 }

  test.each([
    [undefined, 2000],
    [NaN, 2000],
    [0, 250],
    [-5, 250],
    [-Infinity, 250],
    [1000, 1000],
    [1e18, 60_000],
    [Infinity, 60_000],
  ])('%d becomes %i', (hint, ms) => {
    expect(clampInterval(hint, limits)).toBe(ms)
  })
})
