import { describe, expect, test, vi } from 'vitest'
import { completed, handle, snapshot } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, junk, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000

/** What a server may call an interval, and the ms we wait for it. */
const intervals: readonly (readonly [unknown, number])[] = [
  [0, 250],
  [-1, 250],
  [1, 250],
  [0.5, 250],
  [333.3, 334],
  [2 ** 31 - 1, 60_000],
  [2 ** 31 + 1, 60_000],
  [1e18, 60_000],
  [Number.MAX_VALUE, 60_000],
  [Infinity, 60_000],
  [-Infinity, 250],
  [NaN, 2000],
  [null, 2000],
  [undefined, 2000],
  ['50', 250],
  ['5000', 5000],
  ['soon', 2000],
  ['', 2000],
  [' ', 2000],
  [true, 2000],
  [false, 2000],
  [[], 2000],
  [[5000], 2000],
  [{}, 2000],
]

describe('intervals', () => {
  test.each(intervals)('the handle says %j: the first read comes when it should', async (pollIntervalMs, ms) => {
    const run = await startTask(handle({ pollIntervalMs }))
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(run.connection.count('tasks/get')).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(1)
    await expectGone(run)
  })

  test.each(intervals)('every answer says %j: so many reads in ten minutes and no more', async (pollIntervalMs, ms) => {
    const run = await startTask(handle({ pollIntervalMs }))
    run.connection.on('tasks/get', () => snapshot('working', { pollIntervalMs }))
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(Math.ceil(600_000 / ms))
    expect(run.connection.count('tasks/get')).toBeGreaterThanOrEqual(Math.floor(600_000 / (ms + 1)))
    expect(run.view().phase).toBe('working')
    await expectGone(run)
  })

  test.each(intervals)('a push says %j: it does not make reading faster than the floor', async (pollIntervalMs) => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => snapshot())
    for (let i = 0; i < 40; i++) {
      run.connection.push('notifications/tasks', snapshot('working', { pollIntervalMs, statusMessage: String(i) }))
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(4000 / 250)
    await expectGone(run)
  })
})

const lifetimes: readonly unknown[] = [0, -1, 1, 0.5, '50', -Infinity, Number.MIN_VALUE]
const unlimited: readonly unknown[] = [
  2 ** 31 + 1,
  1e18,
  Number.MAX_VALUE,
  Infinity,
  NaN,
  null,
  'forever',
  '',
  ' ',
  true,
  [],
  [50],
  {},
]

describe('lifetimes', () => {
  test.each(lifetimes)('a ttl of %j: a few reads, then the run has ended or goes on at its pace', async (ttlMs) => {
    const run = await startTask(handle({ ttlMs }))
    run.connection.on('tasks/get', () => snapshot('working', { ttlMs, pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(['expired', 'working']).toContain(run.view().phase)
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(61)
    expectClear(run)
    await expectGone(run)
  })

  test.each(lifetimes)(
    'a ttl of %j, and the task is completed at the last read: that is what counts',
    async (ttlMs) => {
      const run = await startTask(handle({ ttlMs }))
      run.connection.on('tasks/get', () => ({ ...completed(), ttlMs }))
      await vi.advanceTimersByTimeAsync(1000)
      expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
      await expectGone(run)
    },
  )

  test.each(unlimited)('a ttl of %j: the run goes on at its pace for a day', async (ttlMs) => {
    const run = await startTask(handle({ ttlMs, pollIntervalMs: 60_000 }))
    run.connection.on('tasks/get', () => snapshot('working', { ttlMs, pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(24 * hour)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
    expect(run.connection.count('tasks/get')).toBe(24 * 60)
    await expectGone(run)
  })

  test.each([
    ['grows a little', (nth: number) => 1 + nth],
    ['counts down what is left', (nth: number) => 600_000 - nth * 10_000],
    ['jumps about', (nth: number) => (nth % 2 ? 5 : 900_000)],
  ])('a ttl that %s with each answer does not make reading much faster', async (_, ttl) => {
    const run = await startTask(handle({ ttlMs: ttl(0), pollIntervalMs: 10_000 }))
    run.connection.on('tasks/get', (_params, nth) =>
      nth > 1000 ? new Promise(() => {}) : snapshot('working', { ttlMs: ttl(nth), pollIntervalMs: 10_000 }),
    )
    await vi.advanceTimersByTimeAsync(hour)
    // Twice the reads of an hour: each on time, and one more for a deadline.
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(2 * 360)
    expectClear(run)
    await expectGone(run)
  })

  test('the last read finds a finished task without its payload: the payload is fetched, and nothing expires', async () => {
    const run = await startTask(handle({ ttlMs: 1500 }))
    // One read on time; at 1500 the last one, which is granted one interval of grace; then the end.
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('working', { ttlMs: 1500 }))
    await vi.advanceTimersByTimeAsync(500)
    await run.connection.last('tasks/get').answer(snapshot('working', { ttlMs: 1500 }))
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('completed', { ttlMs: 1500 }))
    expect(run.view()).toMatchObject({ phase: 'working', error: null, task: { status: 'completed' } })
    await run.connection.last('tasks/get').answer({ ...completed(), ttlMs: 1500 })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test.each(junk)('stamps are %s: snapshots count in the order in which they were asked for', async (_, stamp) => {
    const run = await startTask(handle({ createdAt: stamp, lastUpdatedAt: stamp }))
    for (const statusMessage of ['1', '2', '3']) {
      await vi.advanceTimersByTimeAsync(1000)
      const answer = snapshot('working', { createdAt: stamp, lastUpdatedAt: stamp, statusMessage })
      await run.connection.last('tasks/get').answer(answer)
      expect(run.view().task?.statusMessage).toBe(statusMessage)
    }
    await expectGone(run)
  })
})
