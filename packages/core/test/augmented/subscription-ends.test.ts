import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFakeConnection, snapshot } from '../support/fake-connection.ts'
import { connectListening, recordListens } from '../support/record-listens.ts'
import { createRun, fireTask, ignore, nextRead } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const push = 'notifications/tasks'

describe('the subscription ends by itself', () => {
  test('one read, since something may have been missed, and a new subscription', async () => {
    const { listens, ids, open, start, connection, complete } = connectListening()
    const run = await start('a')
    connection.push(push, snapshot('working', { taskId: 'a', pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(5000)
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.count('tasks/get')).toBe(1)
    await connection.last('tasks/get').answer(snapshot('working', { taskId: 'a', pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(ids()).toEqual([['a'], ['a']])
    expect(open().length).toBeLessThanOrEqual(2)
    expect(run.view()).toMatchObject({ phase: 'working', error: null, isStale: false })
    complete('a')
    expect(run.view().phase).toBe('completed')
    expect(connection.wire).toEqual(['tools/call', 'tasks/get'])
    expect(listens.at(-1)!.stopped).toBe(true)
  })

  test('no read if there was one a moment ago, or if one is out', async () => {
    const { listens, start, connection } = connectListening()
    const run = await start('a')
    const read = await nextRead(run)
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.count('tasks/get')).toBe(1)
    await read.answer(snapshot('working', { taskId: 'a' }))
    listens[1]!.end()
    await vi.advanceTimersByTimeAsync(249)
    expect(connection.count('tasks/get')).toBe(1)
  })

  test('no read while reading rests', async () => {
    const { listens, start, connection } = connectListening()
    const run = await start('a')
    await vi.advanceTimersByTimeAsync(500)
    run.runner.detach()
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.count('tasks/get')).toBe(0)
  })

  test('twice without one push: this server has none, and reads go on without', async () => {
    const { listens, start, connection, complete } = connectListening()
    const run = await start('a')
    connection.on('tasks/get', () => snapshot('working', { taskId: 'a' }))
    for (let n = 0; n < 2; n++) {
      await vi.advanceTimersByTimeAsync(1000)
      listens.at(-1)!.end()
    }
    await vi.advanceTimersByTimeAsync(60_000)
    expect(listens).toHaveLength(2)
    expect(connection.count('tasks/get')).toBeGreaterThan(50)
    await start('b')
    await vi.advanceTimersByTimeAsync(5000)
    expect(listens).toHaveLength(2)
    complete('a')
    expect(run.view().phase).toBe('completed')
  })

  test('again and again, with pushes between: it is made anew each time', async () => {
    const { listens, start, connection } = connectListening()
    await start('a')
    for (let n = 1; n <= 5; n++) {
      await vi.advanceTimersByTimeAsync(1000)
      expect(listens).toHaveLength(n)
      connection.push(push, snapshot('working', { taskId: 'a', statusMessage: `${n} of 9` }))
      listens.at(-1)!.end()
    }
  })

  test('pushes for strangers prove nothing', async () => {
    const { listens, start, connection } = connectListening()
    await start('a')
    for (let n = 0; n < 2; n++) {
      await vi.advanceTimersByTimeAsync(1000)
      connection.push(push, snapshot('working', { taskId: 'stranger' }))
      listens.at(-1)!.end()
    }
    await vi.advanceTimersByTimeAsync(5000)
    expect(listens).toHaveLength(2)
  })

  test('one that was replaced ends late: nothing happens', async () => {
    const { listens, start, connection } = connectListening()
    await start('a')
    await vi.advanceTimersByTimeAsync(0)
    await start('b')
    await vi.advanceTimersByTimeAsync(1000)
    const reads = connection.count('tasks/get')
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(300)
    expect(listens).toHaveLength(2)
    expect(connection.count('tasks/get')).toBe(reads)
  })

  test('after the last task has ended: nothing happens, and nothing is armed', async () => {
    const { listens, start, complete } = connectListening()
    await start('a')
    await vi.advanceTimersByTimeAsync(0)
    complete('a')
    listens[0]!.end()
    await vi.advanceTimersByTimeAsync(5000)
    expect(listens).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the connection closes', () => {
  test('the subscription is stopped, nothing is armed, and who reads again subscribes again, also where it was futile', async () => {
    const { listens, open, start, connection } = connectListening()
    const run = await start('a')
    connection.on('tasks/get', () => snapshot('working', { taskId: 'a' }))
    for (let n = 0; n < 2; n++) {
      await vi.advanceTimersByTimeAsync(1000)
      listens.at(-1)!.end()
    }
    await vi.advanceTimersByTimeAsync(5000)
    expect(listens).toHaveLength(2)
    connection.close(new Error('closed'))
    expect(vi.getTimerCount()).toBe(0)
    ignore(run.runner.refresh())
    await vi.advanceTimersByTimeAsync(1000)
    expect(listens).toHaveLength(3)
    connection.close(new Error('closed'))
    expect(open().filter((listen) => listen === listens[2])).toEqual([])
    expect(connection.count('tasks/cancel')).toBe(0)
  })

  test('over another connection it is asked for there', async () => {
    const { start, connection } = connectListening()
    const run = await start('a')
    await vi.advanceTimersByTimeAsync(0)
    connection.close(new Error('closed'))
    const next = recordListens()
    run.runner.useConnection(createFakeConnection({ listen: next.listen }))
    await vi.advanceTimersByTimeAsync(0)
    expect(next.listens.map(({ ids }) => ids)).toEqual([['a']])
  })
})

test('a subscription that ends while it is being asked for is tried once more, and the run goes on', async () => {
  let asked = 0
  const listen = (_: readonly string[], onEnd?: () => void) => {
    asked++
    onEnd?.()
    return () => {}
  }
  const run = createRun({}, createFakeConnection({ listen }))
  await fireTask(run)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked).toBe(2)
  expect(run.view()).toMatchObject({ phase: 'working', error: null })
})
