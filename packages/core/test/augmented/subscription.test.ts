import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { plain } from '../../src/index.ts'
import { completed, createFakeConnection, handle, settle, toolResult } from '../support/fake-connection.ts'
import { connectListening, recordListens } from '../support/record-listens.ts'
import { cancel, createRun, fire, fireTask, ignore, nextRead } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('pushes of 2026-07-28 are subscribed to', () => {
  test('once for all tasks that are begun together', async () => {
    const { listens, ids, open, start } = connectListening()
    for (const id of ['a', 'b', 'c']) await start(id)
    expect(listens).toEqual([])
    await vi.advanceTimersByTimeAsync(0)
    expect(ids()).toEqual([['a', 'b', 'c']])
    await vi.advanceTimersByTimeAsync(999)
    expect(open()).toHaveLength(1)
    expect(listens).toHaveLength(1)
  })

  test('anew for a task that comes later, before the old subscription is stopped, and not at once each time', async () => {
    const recorded = recordListens()
    const log: string[] = []
    const connection = createFakeConnection({
      listen(ids, onEnd) {
        log.push(`begin ${ids.join()}`)
        const stop = recorded.listen(ids, onEnd)
        return () => {
          log.push(`stop ${ids.join()}`)
          stop()
        }
      },
    })
    for (const taskId of ['a', 'b', 'c']) {
      await fireTask(createRun({}, connection), { taskId })
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(log).toEqual(['begin a'])
    await vi.advanceTimersByTimeAsync(700)
    expect(log).toEqual(['begin a', 'begin a,b,c', 'stop a'])
  })

  test('no more for a task that has ended, once another subscription is made', async () => {
    const { ids, start, complete } = connectListening()
    await start('a')
    await vi.advanceTimersByTimeAsync(0)
    await start('b')
    complete('a')
    await vi.advanceTimersByTimeAsync(1000)
    expect(ids()).toEqual([['a'], ['b']])
  })

  test('until the last of their tasks has ended', async () => {
    const { open, start, connection, complete } = connectListening()
    const [first, second] = [await start('a'), await start('b')]
    await vi.advanceTimersByTimeAsync(0)
    complete('a')
    expect(open()).toHaveLength(1)
    complete('b')
    expect(open()).toEqual([])
    expect([first.view().phase, second.view().phase]).toEqual(['completed', 'completed'])
    expect(connection.wire).toEqual(['tools/call', 'tools/call'])
    expect(vi.getTimerCount()).toBe(0)
    expect(connection.listeners).toBe(0)
  })

  test.each(['reset', 'dispose'] as const)(
    'until the last of their tasks is let go (%s): that cancels none',
    async (verb) => {
      const { open, start, connection } = connectListening()
      const run = await start('a')
      await vi.advanceTimersByTimeAsync(0)
      run.runner[verb]()
      await vi.advanceTimersByTimeAsync(60_000)
      expect(open()).toEqual([])
      expect(connection.wire).toEqual(['tools/call'])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('not for a task that ended before its turn came', async () => {
    const { listens, start, complete } = connectListening()
    await start('a')
    complete('a')
    await vi.advanceTimersByTimeAsync(5000)
    expect(listens).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('once for two runs that follow one task, until both have let go', async () => {
    const { ids, open, start, connection } = connectListening()
    const first = await start('a')
    const second = createRun({}, connection)
    ignore(second.runner.resume(first.runner.reference!))
    await vi.advanceTimersByTimeAsync(0)
    expect(ids()).toEqual([['a']])
    first.runner.reset()
    await settle()
    expect(open()).toHaveLength(1)
    second.runner.reset()
    await settle()
    expect(open()).toEqual([])
  })

  test('also by a run that goes on with a stored task', async () => {
    const { ids, start, connection } = connectListening()
    const reference = (await start('a')).runner.reset()!
    const next = createRun({}, connection)
    ignore(next.runner.resume(reference))
    await vi.advanceTimersByTimeAsync(1000)
    expect(ids().at(-1)).toEqual(['a'])
  })

  test('not while the answer to the call is awaited, nor for one that is answered outright', async () => {
    const { listens, connection } = connectListening()
    const run = createRun({}, connection)
    const call = fire(run)
    await vi.advanceTimersByTimeAsync(5000)
    await call.answer(toolResult())
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view().phase).toBe('completed')
    expect(listens).toEqual([])
  })

  test('not by a plain call', async () => {
    const { listens, connection } = connectListening()
    const run = createRun({ protocol: plain() }, connection)
    fire(run)
    await vi.advanceTimersByTimeAsync(5000)
    expect(listens).toEqual([])
  })

  test('not where the connection cannot: reads find the end', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(completed())
    expect(run.view().phase).toBe('completed')
  })
})

test('a handle that comes late subscribes like any other', async () => {
  const { ids, connection } = connectListening()
  const run = createRun({ submitTimeout: 5000 }, connection)
  const call = fire(run)
  await vi.advanceTimersByTimeAsync(60_000)
  await call.answer(handle({ taskId: 'a' }))
  await vi.advanceTimersByTimeAsync(0)
  expect(ids()).toEqual([['a']])
})

test('a task that was let go and is taken up again stays subscribed to when the other one is let go', async () => {
  const { listen, open } = recordListens()
  const connection = createFakeConnection({ listen })
  const [first, second] = [createRun({}, connection), createRun({}, connection)]
  await fireTask(first, { taskId: 'a' })
  await fireTask(second, { taskId: 'b' })
  await vi.advanceTimersByTimeAsync(0)
  const reference = first.runner.reset()!
  await vi.advanceTimersByTimeAsync(100)
  ignore(first.runner.resume(reference))
  await settle()
  second.runner.reset()
  await vi.advanceTimersByTimeAsync(5000)
  expect(open().flatMap(({ ids }) => ids)).toContain('a')
})

test('a cancel does not interrupt the subscription', async () => {
  const { listen, listens } = recordListens()
  const run = createRun({}, createFakeConnection({ listen }))
  await fireTask(run)
  await vi.advanceTimersByTimeAsync(0)
  await cancel(run).answer({})
  await vi.advanceTimersByTimeAsync(5000)
  expect(listens).toMatchObject([{ ids: ['tk-1'], stopped: false }])
})
