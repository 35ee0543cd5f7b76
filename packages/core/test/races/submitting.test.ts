import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, settle, snapshot, toolResult } from '../support/fake-connection.ts'
import { createRun, fire, fireTask, ignore, nextRead, stateOf, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a push overtakes the answer to the call', () => {
  test.each([
    ['a message', snapshot('working', { statusMessage: '3 of 9 rows' }), 'working', 'tasks/get'],
    ['the end', completed(), 'completed', undefined],
  ])('race 16: %s is pushed before or after the handle: the same is shown', async (_, push, phase, next) => {
    const shown = []
    for (const order of ['before', 'after']) {
      const run = createRun()
      const call = fire(run)
      if (order === 'before') run.connection.push('notifications/tasks', push)
      expect(run.view()).toMatchObject({ phase: 'submitting', task: null })
      await call.answer(handle())
      if (order === 'after') run.connection.push('notifications/tasks', push)
      await settle()
      expect(run.connection.wire).toEqual(['tools/call'])
      shown.push(run.view())
      await vi.advanceTimersByTimeAsync(1000)
      expect(run.connection.wire[1]).toBe(next)
      if (next) await run.connection.last(next).answer(completed())
      expect(vi.getTimerCount()).toBe(0)
    }
    expect(shown[0]).toMatchObject({ phase, task: { taskId: 'tk-1', statusMessage: push['statusMessage'] } })
    expect(shown[0]).toEqual(shown[1])
  })

  test('race 16: pushes for other ids are dropped: they show nothing and are read by nobody', async () => {
    const run = createRun()
    const call = fire(run)
    for (let n = 0; n < 40; n++)
      run.connection.push('notifications/tasks', snapshot('completed', { taskId: `other-${n}` }))
    await call.answer(handle())
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1', status: 'working' } })
    await (await nextRead(run)).answer(completed())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
  })
})

describe('the answer to the call is lost', () => {
  test.each([
    ['the connection breaks', trouble.reset],
    ['a gateway gives up', { status: 504, message: 'Gateway Timeout' }],
    ['nobody answers in time', null],
  ])('race 20: %s: the view says lost, promises reject, and the call is not made again', async (_, failure) => {
    const run = createRun({ submitTimeout: 5000 })
    const fired = run.runner.fire({})
    const result = run.runner.result()
    for (const promise of [fired, result]) ignore(promise)
    if (failure) await run.connection.last('tools/call').fail(failure)
    else await vi.advanceTimersByTimeAsync(5000)
    await expect(fired).rejects.toMatchObject({ kind: 'lost', retryable: false })
    await expect(result).rejects.toMatchObject({ kind: 'lost' })
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', task: null, canRetry: true })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(run.settled).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    expect(run.runner.reference).toMatchObject({ taskId: null, tool: 'tile_city' })
  })

  test('race 20: a tool that may run twice is called again after a break, and only then', async () => {
    const run = createRun({ idempotent: true })
    await fire(run).fail(trouble.reset)
    expect(run.view()).toMatchObject({ phase: 'submitting', error: null })
    await vi.advanceTimersByTimeAsync(2000)
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
    await run.connection.last('tools/call').answer(handle())
    expect(run.view()).toMatchObject({ phase: 'working', attempt: 1 })
  })

  test('race 20: each progress starts the time-out anew', async () => {
    const run = createRun({ submitTimeout: 5000 })
    const call = fire(run)
    for (let n = 1; n < 4; n++) {
      await vi.advanceTimersByTimeAsync(4000)
      call.options.onProgress?.({ progress: n, total: 4 })
    }
    expect(run.view()).toMatchObject({ phase: 'submitting', progress: { percent: 75 } })
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view().detachedBecause).toBe('lost')
  })

  test.each([
    ['a handle', handle(), { phase: 'working', task: { taskId: 'tk-1' }, error: null }],
    [
      'a handle of a finished task',
      handle({ status: 'completed' }),
      { phase: 'working', canCancel: false, error: null },
    ],
    ['a result', toolResult('done'), { phase: 'completed', result: { data: 'done' }, error: null }],
  ])('race 21: lost, then %s comes late: it is adopted, without a second call', async (_, answer, shown) => {
    const run = createRun({ submitTimeout: 5000 })
    const call = fire(run)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view().detachedBecause).toBe('lost')
    await call.answer(answer)
    expect(run.view()).toMatchObject(shown)
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.count('tools/call')).toBe(1)
    expect(run.orphans).toEqual([])
  })

  test('race 21: lost, then an error comes late: the run has failed', async () => {
    const run = createRun({ submitTimeout: 5000 })
    const call = fire(run)
    await vi.advanceTimersByTimeAsync(5000)
    await call.fail({ code: -32602, message: 'Unknown city' })
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', message: 'Unknown city' } })
    expect(run.connection.wire).toEqual(['tools/call'])
  })
})

describe('the page changes its mind', () => {
  test('race 26: unmounted while submitting: the call is not aborted, and its handle is kept', async () => {
    const run = createRun()
    const call = fire(run)
    await settle()
    run.unwatch()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(call.options.signal?.aborted).toBe(false)
    await call.answer(handle())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.runner.reference).toMatchObject({ taskId: 'tk-1', protocol: 'extension', cancelRequested: false })
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(run.view()).toMatchObject({ phase: 'working', detachedBecause: 'unmounted' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 27: two runners are created and one is fired: one call', async () => {
    const connection = createFakeConnection()
    const [unused, used] = [createRun({}, connection), createRun({}, connection)]
    unused.unwatch()
    await fireTask(used)
    await vi.advanceTimersByTimeAsync(500)
    expect(connection.wire).toEqual(['tools/call'])
    expect(unused.view().phase).toBe('idle')
    expect(unused.views).toEqual([])
  })

  test('race 27: subscribing, leaving and subscribing again within one tick: one call, and no rest between', async () => {
    const run = createRun()
    run.unwatch()
    const told: unknown[] = []
    const subscribe = () => run.runner.subscribe(() => told.push(run.view().detachedBecause))
    const first = subscribe()
    ignore(run.runner.fire({}))
    first()
    subscribe()
    await run.connection.last('tools/call').answer(handle())
    subscribe()()
    subscribe()
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    expect(new Set(told)).toEqual(new Set([null]))
  })
})

describe('fired again while a run is going on', () => {
  test('race 28: the old task is reported, not cancelled, and its late answers change nothing', async () => {
    const run = createRun()
    await fireTask(run, { taskId: 'old' })
    const oldRead = await nextRead(run)
    const oldResult = run.runner.result()
    ignore(oldResult)
    await fireTask(run, { taskId: 'new' })
    await expect(oldResult).rejects.toMatchObject({ kind: 'superseded' })
    expect(run.orphans).toEqual([expect.objectContaining({ taskId: 'old' })])
    const shown = run.view()
    await oldRead.answer({ ...completed('old tiles'), taskId: 'old' })
    run.connection.push('notifications/tasks', { ...completed('old tiles'), taskId: 'old' })
    expect(run.view()).toBe(shown)
    await (await nextRead(run)).answer({ ...completed('new tiles'), taskId: 'new' })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: 'new tiles' } })
    expect(run.connection.count('tasks/cancel')).toBe(0)
    expect(run.settled).toHaveLength(1)
  })

  test('race 28: with `reject` nothing is sent, and the run goes on', async () => {
    const run = createRun({ whenBusy: 'reject' })
    await fireTask(run)
    await expect(run.runner.fire({ n: 2 })).rejects.toMatchObject({ kind: 'not-sent' })
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1' } })
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(run.orphans).toEqual([])
  })

  test('race 28: with `queue` the next call is made once the first has ended, each with its own outcome', async () => {
    const run = createRun({ whenBusy: 'queue' })
    const first = run.runner.fire({ n: 1 })
    const second = run.runner.fire({ n: 2 })
    await run.connection.last('tools/call').answer(toolResult('one'))
    expect((await (await first).result()).data).toBe('one')
    expect(run.connection.count('tools/call')).toBe(2)
    expect(run.connection.last('tools/call').params).toMatchObject({ arguments: { n: 2 } })
    expect(await stateOf(second)).toBe('pending')
    await run.connection.last('tools/call').answer(toolResult('two'))
    expect((await (await second).result()).data).toBe('two')
    expect(run.settled.map(({ result }) => result?.data)).toEqual(['one', 'two'])
  })
})
