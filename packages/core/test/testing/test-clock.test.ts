import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../src/testing/index.ts'

describe('a test clock', () => {
  test('stands until it is moved', async () => {
    const clock = createTestClock()
    const begun = clock.now()
    expect(new Date(begun).toISOString()).toBe('2027-01-15T08:00:00.000Z')
    await clock.advance(250)
    expect(clock.now() - begun).toBe(250)
    expect(createTestClock(5).now()).toBe(5)
  })

  test('runs what is due in its order, at its time, and nothing else', async () => {
    const clock = createTestClock(0)
    const seen: string[] = []
    const note = (name: string, ms: number) => clock.setTimeout(() => seen.push(`${name}@${clock.now()}`), ms)
    note('late', 30)
    note('first', 10)
    note('second', 10)
    const never = note('never', 20)
    clock.clearTimeout(never)
    await clock.advance(29)
    expect(seen).toEqual(['first@10', 'second@10'])
    expect(clock.pending).toBe(1)
    await clock.advance(1)
    expect(seen).toEqual(['first@10', 'second@10', 'late@30'])
    expect(clock.pending).toBe(0)
  })

  test('lets promises settle between two timers, which may set others', async () => {
    const clock = createTestClock(0)
    const seen: string[] = []
    clock.setTimeout(() => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => clock.setTimeout(() => seen.push(`set on the way@${clock.now()}`), 5))
    }, 10)
    clock.setTimeout(() => seen.push(`set before@${clock.now()}`), 20)
    await clock.advance(20)
    expect(seen).toEqual(['set on the way@15', 'set before@20'])
  })

  test('takes times that do not fit as JavaScript does: at once', async () => {
    const clock = createTestClock(0)
    const seen: number[] = []
    for (const ms of [-1, NaN, Infinity, 2 ** 31, 0]) clock.setTimeout(() => seen.push(clock.now()), ms)
    await clock.advance(1)
    expect(seen).toEqual([1, 1, 1, 1, 1])
  })

  test('hands on what a timer throws, and goes on from there', async () => {
    const clock = createTestClock(0)
    let ran = false
    clock.setTimeout(() => {
      throw new Error('out of order')
    }, 5)
    clock.setTimeout(() => (ran = true), 6)
    await expect(clock.advance(10)).rejects.toThrow('out of order')
    expect(clock.now()).toBe(5)
    await clock.advance(5)
    expect(ran).toBe(true)
  })

  test('runs all that waits, but not for ever', async () => {
    const clock = createTestClock(0)
    let ran = 0
    clock.setTimeout(() => clock.setTimeout(() => ran++, 70_000), 10)
    await clock.runAll()
    expect([ran, clock.now(), clock.pending]).toEqual([1, 70_010, 0])
    const again = () => void clock.setTimeout(again, 1000)
    again()
    await expect(clock.runAll(20)).rejects.toThrow('Timers still waited after 20 of them had run')
    expect(clock.now()).toBe(70_010 + 20_000)
  })

  test('says what it expects', async () => {
    expect(() => createTestClock(NaN)).toThrow('Expected `start` to be a number of ms')
    const clock = createTestClock()
    for (const ms of [-1, NaN, Infinity]) await expect(clock.advance(ms)).rejects.toThrow('Expected `advance`')
    await expect(clock.runAll(0)).rejects.toThrow('Expected `limit`')
  })
})
