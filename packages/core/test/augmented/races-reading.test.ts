import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  connectAugmented,
  createAugmentedRun,
  fireCall,
  flat,
  openKeys,
  payload,
  readSays,
  startTask,
  statusPush,
  wrapped,
} from '../support/augmented.ts'
import { elicitation, settle } from '../support/fake-connection.ts'
import { ignore, nextRead, stateOf, trouble, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const at = (second: number, over = {}) =>
  flat('working', { lastUpdatedAt: new Date(Date.UTC(2025, 10, 25, 9, 0, second)).toISOString(), ...over })

/** The task completes by this, and its result is there. */
async function complete(run: Run) {
  await run.connection.last('tasks/result').answer(payload())
  expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
}

describe('snapshots come in another order than they were made', () => {
  test('race 12: a push that is older than the last read is dropped, also one that asks', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await (await nextRead(run)).answer(at(30, { statusMessage: 'new' }))
    const shown = run.view()
    run.connection.push(statusPush, at(20, { statusMessage: 'old' }))
    run.connection.push(statusPush, at(20, { status: 'input_required' }))
    expect(run.view()).toBe(shown)
    expect(run.connection.count('tasks/result')).toBe(0)
  })

  test('race 12: unless it says that the task has ended', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await (await nextRead(run)).answer(at(30))
    run.connection.push(statusPush, at(20, { status: 'completed' }))
    await complete(run)
  })

  test('race 13: the same push twice tells nobody a second time, also one that asks', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    for (const push of [at(10, { statusMessage: '1 of 9' }), at(11, { status: 'input_required' })]) {
      run.connection.push(statusPush, push)
      await settle()
      const told = run.views.length
      run.connection.push(statusPush, push)
      await settle()
      expect(run.views).toHaveLength(told)
    }
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/result'])
  })

  test('race 14: with the same stamp and another content, what came later wins', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    for (const statusMessage of ['1 of 9', '2 of 9']) run.connection.push(statusPush, at(10, { statusMessage }))
    expect(run.view().task?.statusMessage).toBe('2 of 9')
    const read = await nextRead(run)
    run.connection.push(statusPush, at(10, { statusMessage: '3 of 9' }))
    await read.answer(at(10, { statusMessage: 'asked for before the push' }))
    expect(run.view().task?.statusMessage).toBe('3 of 9')
  })

  test('race 14: with the same stamp, the end wins whenever it was asked for', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    const read = await nextRead(run)
    run.connection.push(statusPush, at(10, { statusMessage: '3 of 9' }))
    await read.answer(at(10, { status: 'completed' }))
    await complete(run)
  })

  test('race 15: the end is pushed while a slow read is out: it is not waited for, and its answer changes nothing', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    const read = await nextRead(run)
    run.connection.push(statusPush, at(10, { status: 'completed' }))
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
    await read.answer(at(59))
    expect(run.view()).toMatchObject({ phase: 'working', task: { status: 'completed' } })
    await complete(run)
    const shown = run.view()
    run.connection.push(statusPush, at(59, { status: 'failed' }))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toBe(shown)
    expect(run.settled).toHaveLength(1)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a push overtakes the answer to the call', () => {
  test.each([
    ['a message', flat('working', { statusMessage: '3 of 9' }), 'working', []],
    ['the wish for input', flat('input_required'), 'working', ['tasks/result']],
    ['the end', flat('completed'), 'working', ['tasks/result']],
    ['a cancel', flat('cancelled'), 'cancelled', []],
  ])('race 16: %s is pushed before or after the handle: the same is shown and sent', async (_, push, phase, next) => {
    const shown = []
    for (const order of ['before', 'after']) {
      const run = createAugmentedRun()
      const call = await fireCall(run)
      if (order === 'before') run.connection.push(statusPush, push)
      expect(run.view()).toMatchObject({ phase: 'submitting', task: null })
      await call.answer(wrapped())
      if (order === 'after') run.connection.push(statusPush, push)
      await settle()
      expect(run.connection.wire).toEqual(['tools/call', ...next])
      expect(run.view()).toMatchObject({ phase, task: push })
      shown.push(run.view())
      run.runner.dispose()
    }
    expect(shown[0]).toEqual(shown[1])
  })
})

describe('a task is found again', () => {
  const reference = {
    version: 1,
    protocol: 'augmented',
    endpoint: connectAugmented().endpoint,
    tool: 'tile_city',
    taskId: 'tk-1',
  } as const

  test.each([
    ['completed', payload(), { phase: 'completed', result: { data: '60 tiles' } }],
    ['failed', payload('disk full', { isError: true }), { phase: 'failed', error: { message: 'disk full' } }],
  ])('race 18: resuming a task that has %s: one read, one fetch, no call', async (status, answer, shown) => {
    const run = createAugmentedRun()
    const resumed = run.runner.resume(reference)
    await run.connection.last('tasks/get').answer(flat(status))
    await run.connection.last('tasks/result').answer(answer)
    await resumed
    expect(run.view()).toMatchObject(shown)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tasks/get', 'tasks/result'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 18: resuming a task that was cancelled: one read, and nothing is fetched', async () => {
    const run = createAugmentedRun()
    ignore(run.runner.resume(reference))
    await run.connection.last('tasks/get').answer(flat('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(run.connection.wire).toEqual(['tasks/get'])
  })

  test('resuming a task that waits for input: its result is fetched early, and its prompt is shown', async () => {
    const run = createAugmentedRun()
    ignore(run.runner.resume(reference))
    await run.connection.last('tasks/get').answer(flat('input_required'))
    expect(run.connection.wire).toEqual(['tasks/get', 'tasks/result'])
    await run.connection.ask(elicitation(), 'tk-1')
    expect(openKeys(run)).toHaveLength(1)
  })

  test('resuming an unknown task: one read, and it has expired', async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/get', () => Promise.reject(trouble.gone))
    await run.runner.resume(reference)
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tasks/get'])
  })
})

describe.each([
  ['an hour behind', -3_600_000],
  ['right', 0],
  ['an hour ahead', 3_600_000],
])("race 19: the lifetime is over, by a server's clock that is %s", (_, skew) => {
  const stamped = (over = {}) => {
    const time = new Date(Date.now() + skew).toISOString()
    return { ttl: 10_500, createdAt: time, lastUpdatedAt: time, ...over }
  }
  const untilTheEnd = async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/get', () => flat('working', stamped()))
    await startTask(run, stamped())
    await vi.advanceTimersByTimeAsync(10_499)
    run.connection.on('tasks/get', undefined)
    const before = run.connection.count('tasks/get')
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(before + 1)
    expect(run.view()).toMatchObject({ phase: 'working', isStale: false })
    return run
  }

  test('the last read finds it completed: its result is fetched and shown', async () => {
    const run = await untilTheEnd()
    await run.connection.last('tasks/get').answer(flat('completed', stamped()))
    await complete(run)
  })

  test('the last read finds it completed, and the result is gone: expired, and the work is known to be done', async () => {
    const run = await untilTheEnd()
    const result = run.runner.result()
    await run.connection.last('tasks/get').answer(flat('completed', stamped()))
    await run.connection.last('tasks/result').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired', task: { status: 'completed' } })
    expect(await stateOf(result)).toBe('rejected: expired')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('the last read fails: expired; it still works: one interval of grace, then expired', async () => {
    const [gone, slow] = [await untilTheEnd(), await untilTheEnd()]
    await gone.connection.last('tasks/get').fail(trouble.gone)
    expect(gone.view().phase).toBe('expired')
    await slow.connection.last('tasks/get').answer(flat('working', stamped()))
    slow.connection.on('tasks/get', () => flat('working', stamped()))
    await vi.advanceTimersByTimeAsync(1000)
    expect(slow.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    slow.connection.on('tasks/get', () => flat('completed'))
    ignore(slow.runner.resume())
    await settle()
    await complete(slow)
  })

  test('a push without a lifetime leaves it as it was', async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/get', () => flat('working', stamped()))
    await startTask(run, stamped())
    run.connection.push(statusPush, { taskId: 'tk-1', status: 'working', statusMessage: '1 of 9' })
    expect(run.view().task).toMatchObject({ ttl: 10_500, pollInterval: 1000, statusMessage: '1 of 9' })
    await readSays(run, 'working', stamped())
    expect(run.view().task).toMatchObject({ ttl: 10_500 })
  })
})
