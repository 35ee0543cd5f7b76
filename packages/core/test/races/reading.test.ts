// What concerns 2025-11-25 alone (races 31 and 37, `tasks/result` in 18, 29 and 30) is in `../augmented`. Left out: 38 (users switch
// only where references are stored).
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, snapshot } from '../support/fake-connection.ts'
import { createRun, fireTask, ignore, nextRead, stateOf, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const at = (second: number, over = {}) =>
  snapshot('working', { lastUpdatedAt: new Date(Date.UTC(2026, 6, 28, 9, 0, second)).toISOString(), ...over })
const push = 'notifications/tasks'
const reference = {
  version: 1,
  protocol: 'extension',
  endpoint: createFakeConnection().endpoint,
  tool: 'tile_city',
  taskId: 'tk-1',
} as const

describe('snapshots come in another order than they were made', () => {
  test('race 12: a push that is older than the last read is dropped', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(at(30, { statusMessage: 'new' }))
    const shown = run.view()
    run.connection.push(push, at(20, { statusMessage: 'old' }))
    run.connection.push(push, at(20, { status: 'input_required', inputRequests: {} }))
    expect(run.view()).toBe(shown)
    expect(shown).toMatchObject({ task: { statusMessage: 'new' } })
  })

  test('race 12: unless it says that the task has ended', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(at(30))
    run.connection.push(push, { ...at(20), ...completed() })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
  })

  test('race 13: the same push twice tells nobody a second time', async () => {
    const run = createRun()
    await fireTask(run)
    run.connection.push(push, at(10, { statusMessage: '1 of 9' }))
    const told = run.views.length
    run.connection.push(push, at(10, { statusMessage: '1 of 9' }))
    await (await nextRead(run)).answer(at(10, { statusMessage: '1 of 9' }))
    expect(run.views).toHaveLength(told)
  })

  test('race 14: with the same stamp and another content, what came later wins', async () => {
    const run = createRun()
    await fireTask(run)
    for (const statusMessage of ['1 of 9', '2 of 9']) run.connection.push(push, at(10, { statusMessage }))
    expect(run.view().task?.statusMessage).toBe('2 of 9')
    const read = await nextRead(run)
    run.connection.push(push, at(10, { statusMessage: '3 of 9' }))
    await read.answer(at(10, { statusMessage: 'asked for before the push' }))
    expect(run.view().task?.statusMessage).toBe('3 of 9')
  })

  test('race 14: with the same stamp, the end wins whenever it was asked for', async () => {
    const run = createRun()
    await fireTask(run)
    const read = await nextRead(run)
    run.connection.push(push, at(10, { statusMessage: '3 of 9' }))
    await read.answer({ ...at(10), ...completed() })
    expect(run.view().phase).toBe('completed')
  })

  test('race 15: the end is pushed while a slow read is out: its answer changes nothing', async () => {
    const run = createRun()
    await fireTask(run)
    const read = await nextRead(run)
    run.connection.push(push, completed())
    const shown = run.view()
    expect(shown.phase).toBe('completed')
    await read.answer(at(59))
    run.connection.push(push, snapshot('failed', { error: trouble.internal }))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toBe(shown)
    expect(run.settled).toHaveLength(1)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 36: pushes stop coming: reading goes on at its own time, and nothing fails', async () => {
    const run = createRun()
    await fireTask(run)
    for (let n = 1; n <= 4; n++) {
      await vi.advanceTimersByTimeAsync(240)
      run.connection.push(push, at(n))
    }
    await vi.advanceTimersByTimeAsync(40)
    expect(run.connection.sent.map(({ at: time }) => time - run.connection.sent[0]!.at)).toEqual([0, 1000])
    await run.connection.last('tasks/get').answer(at(9))
    await (await nextRead(run)).answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(run.connection.count('tasks/cancel')).toBe(0)
  })
})

describe('a task is found again', () => {
  test('race 17: resuming an unknown task reads once, and says that it is not known', async () => {
    const run = createRun()
    run.connection.on('tasks/get', () => Promise.reject(trouble.gone))
    await run.runner.resume(reference)
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 17: a task that was just made and is not found at once is read once more', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).fail(trouble.gone)
    expect(run.view().phase).toBe('working')
    await (await nextRead(run)).fail(trouble.gone)
    expect(run.view().phase).toBe('expired')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.count('tasks/get')).toBe(2)
  })

  test('race 18: resuming a finished task shows its result after one read, and never calls the tool', async () => {
    const run = createRun()
    const resumed = run.runner.resume(reference)
    expect(run.connection.wire).toEqual(['tasks/get'])
    await run.connection.last('tasks/get').answer(completed())
    await resumed
    expect((await run.runner.result()).data).toBe('60 tiles')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe.each([
  ['an hour behind', -3_600_000],
  ['right', 0],
  ['an hour ahead', 3_600_000],
])("the lifetime is over, by a server's clock that is %s", (_, skew) => {
  const stamped = (over = {}) => {
    const time = new Date(Date.now() + skew).toISOString()
    return { ttlMs: 10_500, createdAt: time, lastUpdatedAt: time, ...over }
  }
  const untilTheEnd = async () => {
    const run = createRun()
    run.connection.on('tasks/get', () => snapshot('working', stamped()))
    await fireTask(run, stamped())
    await vi.advanceTimersByTimeAsync(10_499)
    expect(run.view()).toMatchObject({ phase: 'working', isStale: false })
    run.connection.on('tasks/get', undefined)
    const before = run.connection.count('tasks/get')
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(before + 1)
    expect(run.view().phase).toBe('working')
    return run
  }

  test('race 19: the last read finds the result: it is shown', async () => {
    const run = await untilTheEnd()
    await run.connection.last('tasks/get').answer({ ...completed(), ...stamped() })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
  })

  test.each(['gone', 'busy'] as const)('race 19: the last read fails (%s): the task has expired', async (failure) => {
    const run = await untilTheEnd()
    await run.connection.last('tasks/get').fail(trouble[failure])
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 19: it still works: one interval of grace, then it has expired, and only resuming looks again', async () => {
    const run = await untilTheEnd()
    await run.connection.last('tasks/get').answer(snapshot('working', stamped()))
    expect(run.view().phase).toBe('working')
    run.connection.on('tasks/get', () => snapshot('working', stamped()))
    await vi.advanceTimersByTimeAsync(1000)
    const shown = run.view()
    expect(shown).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    expect(vi.getTimerCount()).toBe(0)
    run.connection.push(push, completed())
    expect(run.view()).toBe(shown)
    run.connection.on('tasks/get', () => completed())
    await run.runner.resume()
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(run.settled.map(({ phase }) => phase)).toEqual(['expired', 'completed'])
  })

  test('race 19: it was given more time: the new lifetime counts from the first receipt', async () => {
    const run = await untilTheEnd()
    const longer = () => snapshot('working', stamped({ ttlMs: 20_700 }))
    await run.connection.last('tasks/get').answer(longer())
    run.connection.on('tasks/get', longer)
    await vi.advanceTimersByTimeAsync(10_199)
    run.connection.on('tasks/get', undefined)
    const before = run.connection.count('tasks/get')
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(before + 1)
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view().phase).toBe('expired')
  })
})

describe('the task has ended, and its result is still to come', () => {
  test('race 29: fetching the result fails in passing: it is fetched again, and the run has not failed', async () => {
    const run = createRun()
    await fireTask(run, { status: 'completed' })
    const result = run.runner.result()
    expect(run.view()).toMatchObject({ phase: 'working', canCancel: false, task: { status: 'completed' } })
    await run.connection.last('tasks/get').fail(trouble.busy)
    expect(await stateOf(result)).toBe('pending')
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect((await result).data).toBe('60 tiles')
    expect(run.phases()).toEqual(['submitting', 'working', 'completed'])
    expect(run.connection.count('tasks/get')).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 29: fetching the result keeps failing: the run is detached, and resuming fetches it', async () => {
    const run = createRun()
    run.connection.on('tasks/get', () => Promise.reject(trouble.busy))
    await fireTask(run, { status: 'completed' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.connection.count('tasks/get')).toBe(3)
    expect(run.view()).toMatchObject({
      phase: 'detached',
      detachedBecause: 'unreachable',
      task: { status: 'completed' },
    })
    expect(vi.getTimerCount()).toBe(0)
    run.connection.on('tasks/get', () => completed())
    ignore(run.runner.resume())
    expect((await run.runner.result()).data).toBe('60 tiles')
    expect(run.connection.count('tasks/cancel')).toBe(0)
  })

  test('race 30: the work was completed, but its result is gone: expired, and not a failure of the work', async () => {
    const run = createRun()
    await fireTask(run, { status: 'completed' })
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired', result: null, task: { status: 'completed' } })
    expect(run.view().error?.message).toContain('completed')
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
