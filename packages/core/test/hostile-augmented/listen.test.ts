import { describe, expect, test, vi } from 'vitest'
import { wrapped } from '../support/augmented.ts'
import { settle, snapshot } from '../support/fake-connection.ts'
import { containedTests, expectGone, ignore } from '../support/hostile.ts'
import { recordListens } from '../support/record-listens.ts'
import { hour, listening, startAnswered } from './support.ts'

containedTests()

const push = 'notifications/tasks'

describe('a server that ends every subscription', () => {
  test('at once and for ever: it is asked twice, and the task is read at its own pace', async () => {
    const { connection, listens, start, listen } = listening()
    Object.assign(connection, {
      listen(ids: readonly string[], onEnd?: () => void) {
        queueMicrotask(() => onEnd?.())
        return listen(ids, onEnd)
      },
    })
    const run = await start('a')
    connection.on('tasks/get', () => snapshot('working', { taskId: 'a', pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(listens).toHaveLength(2)
    expect(connection.count('tasks/get')).toBeLessThanOrEqual(62)
    await expectGone(run)
  })

  test('after one push each: no more than one subscription and one read a second', async () => {
    const { connection, listens, start, listen } = listening()
    Object.assign(connection, {
      listen(ids: readonly string[], onEnd?: () => void) {
        queueMicrotask(() => {
          connection.push(push, snapshot('working', { taskId: 'a', pollIntervalMs: 60_000 }))
          onEnd?.()
        })
        return listen(ids, onEnd)
      },
    })
    const run = await start('a')
    connection.on('tasks/get', () => snapshot('working', { taskId: 'a', pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(listens.length).toBeLessThanOrEqual(61)
    expect(connection.count('tasks/get')).toBeLessThanOrEqual(62)
    await expectGone(run)
  })

  test('and is given up: a new connection gets another chance', async () => {
    const { connection, listens, start } = listening()
    const run = await start('a')
    for (let nth = 0; nth < 5; nth++) {
      await vi.advanceTimersByTimeAsync(2000)
      listens.at(-1)!.end()
    }
    expect(listens).toHaveLength(2)
    connection.close()
    ignore(run.runner.resume())
    await vi.advanceTimersByTimeAsync(2000)
    expect(listens).toHaveLength(3)
    await expectGone(run)
  })
})

describe('an end of a subscription', () => {
  test('that is told a hundred times counts once', async () => {
    const { connection, listens, open, start } = listening()
    const run = await start('a')
    await vi.advanceTimersByTimeAsync(1000)
    for (let nth = 0; nth < 100; nth++) listens[0]!.end()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(listens).toHaveLength(2)
    expect(open()).toHaveLength(1)
    expect(connection.count('tasks/get')).toBe(1)
    await expectGone(run)
  })

  test('of an older one, told late, does not end the newer one', async () => {
    const { listens, open, start } = listening()
    const run = await start('a')
    await vi.advanceTimersByTimeAsync(1000)
    const other = await start('b')
    await vi.advanceTimersByTimeAsync(1000)
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(open().map(({ ids }) => ids)).toEqual([['a', 'b']])
    other.runner.dispose()
    await expectGone(run)
    expect(open()).toEqual([])
  })

  test('that is told after everything is over begins nothing', async () => {
    const { connection, listens, start } = listening()
    const run = await start('a')
    await vi.advanceTimersByTimeAsync(1000)
    await expectGone(run)
    const before = connection.sent.length
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(hour)
    expect(listens).toHaveLength(1)
    expect(connection.sent).toHaveLength(before)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that our own stop causes, as some connections tell it, is none', async () => {
    const ends: (() => void)[] = []
    const { connection, start } = listening({
      listen(_, onEnd) {
        ends.push(() => onEnd?.())
        return () => onEnd?.()
      },
    })
    const run = await start('a')
    await vi.advanceTimersByTimeAsync(1000)
    const other = await start('b')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(ends).toHaveLength(2)
    expect(connection.count('tasks/get')).toBe(0)
    other.runner.dispose()
    await expectGone(run)
  })
})

describe('a thousand tasks on one connection', () => {
  test('begun together are subscribed to together, by one stream that ends with the last of them', async () => {
    const { listens, open, connection, start } = listening()
    const runs = []
    for (let nth = 0; nth < 1000; nth++) runs.push(await start(`tk-${nth}`))
    await vi.advanceTimersByTimeAsync(2000)
    expect(listens).toHaveLength(1)
    expect(listens[0]!.ids).toHaveLength(1000)
    for (const { runner } of runs.slice(1)) runner.dispose()
    expect(open()).toHaveLength(1)
    runs[0]!.runner.dispose()
    await settle()
    expect(open()).toEqual([])
    expect(connection.listeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('begun one by one need one new stream a second at most, and never more than two are open', async () => {
    let most = 0
    const { listens, open, connection, start, listen } = listening()
    Object.assign(connection, {
      listen(...asked: Parameters<typeof listen>) {
        const stop = listen(...asked)
        most = Math.max(most, open().length)
        return stop
      },
    })
    const runs = []
    for (let nth = 0; nth < 1000; nth++) {
      runs.push(await start(`tk-${nth}`))
      await vi.advanceTimersByTimeAsync(50)
    }
    await vi.advanceTimersByTimeAsync(1000)
    expect(listens.length).toBeLessThanOrEqual(52)
    expect(most).toBeLessThanOrEqual(2)
    expect(open().map(({ ids }) => ids.length)).toEqual([1000])
    for (const { runner } of runs) runner.dispose()
    await settle()
    expect(open()).toEqual([])
  })

  test('that all lose their stream read once each, and ask for one new one', async () => {
    const { listens, connection, start } = listening()
    for (let nth = 0; nth < 200; nth++) await start(`tk-${nth}`)
    await vi.advanceTimersByTimeAsync(2000)
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(5000)
    expect(connection.count('tasks/get')).toBe(200)
    expect(listens).toHaveLength(2)
  })
})

test('pushes about ids that nobody follows keep a futile subscription futile', async () => {
  const { connection, listens, start } = listening()
  const run = await start('a')
  for (let nth = 0; nth < 5; nth++) {
    await vi.advanceTimersByTimeAsync(2000)
    connection.push(push, snapshot('working', { taskId: 'stranger' }))
    listens.at(-1)!.end()
  }
  expect(listens).toHaveLength(2)
  await expectGone(run)
})

test('a task of 2025-11-25 is never subscribed to, whatever its connection can do', async () => {
  const { listen, listens } = recordListens()
  const run = await startAnswered(wrapped(), {}, { listen })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(listens).toEqual([])
  await expectGone(run)
})
