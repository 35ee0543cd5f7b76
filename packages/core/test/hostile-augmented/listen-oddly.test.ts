import { expect, test, vi } from 'vitest'
import { containedTests, expectGone, ignore } from '../support/hostile.ts'
import { listening } from './support.ts'

containedTests()

test('a connection that throws when it is asked to listen: the task is read, and nothing gets out of a timer', async () => {
  const { connection, start } = listening({
    listen() {
      throw new Error('not connected')
    },
  })
  const run = await start('a')
  await vi.advanceTimersByTimeAsync(61_000)
  expect(connection.count('tasks/get')).toBe(1)
  await expectGone(run)
})

test('a subscription that ends within the call that asks for it is asked for twice', async () => {
  const listen = vi.fn((_: readonly string[], onEnd?: () => void) => {
    onEnd?.()
    return () => {}
  })
  const { start } = listening({ listen })
  const run = await start('a')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(listen).toHaveBeenCalledTimes(2)
  await expectGone(run)
})

test('a connection that gives the same function to stop each time: the late end of an older stream ends nothing', async () => {
  const ends: (() => void)[] = []
  const stop = () => {}
  const { start } = listening({
    listen(_, onEnd) {
      ends.push(() => onEnd?.())
      return stop
    },
  })
  const run = await start('a')
  await vi.advanceTimersByTimeAsync(1000)
  const other = await start('b')
  await vi.advanceTimersByTimeAsync(1000)
  ends[0]!()
  await vi.advanceTimersByTimeAsync(5000)
  expect(ends).toHaveLength(2)
  other.runner.dispose()
  await expectGone(run)
})

test('the connection was down when the next subscription was due: once it is up, its tasks are subscribed to again', async () => {
  const { connection, listens, start, listen } = listening()
  let isUp = true
  Object.defineProperty(connection, 'listen', { get: () => (isUp ? listen : undefined) })
  const run = await start('a')
  await vi.advanceTimersByTimeAsync(100)
  await start('b')
  isUp = false
  connection.close()
  await vi.advanceTimersByTimeAsync(3000)
  isUp = true
  ignore(run.runner.resume())
  await vi.advanceTimersByTimeAsync(3000)
  expect(listens.map(({ ids }) => ids.includes('a'))).toEqual([true, true])
})
