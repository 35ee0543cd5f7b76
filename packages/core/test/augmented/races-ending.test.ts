import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { augmented } from '../../src/index.ts'
import {
  connectAugmented,
  createAugmentedRun,
  fireCall,
  flat,
  openKeys,
  payload,
  readSays,
  startAsking,
  startTask,
  statusPush,
  wrapped,
} from '../support/augmented.ts'
import { settle, toolResult } from '../support/fake-connection.ts'
import { createRun, ignore, stateOf, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the answer to the call is lost', () => {
  test.each([
    ['a handle', wrapped(), { phase: 'working', task: { taskId: 'tk-1' }, error: null }, 'tasks/get'],
    [
      'a handle of a finished task',
      wrapped({ status: 'completed' }),
      { phase: 'working', error: null },
      'tasks/result',
    ],
    ['a result', toolResult('done'), { phase: 'completed', result: { data: 'done' }, error: null }, 'tools/call'],
  ])('race 21: lost, then %s comes late: it is adopted, without a second call', async (_, answer, shown, last) => {
    const run = createAugmentedRun({ submitTimeout: 5000 })
    const call = await fireCall(run)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    await call.answer(answer)
    expect(run.view()).toMatchObject(shown)
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.wire.at(-1)).toBe(last)
    expect(run.connection.count('tools/call')).toBe(1)
    expect(run.orphans).toEqual([])
  })

  test('race 21: fired again meanwhile: the late handle is reported with its protocol, and neither read nor cancelled', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    ignore(run.runner.fire({ city: 'Oulu' }))
    await settle()
    await call.answer(wrapped({ taskId: 'old' }))
    expect(run.orphans).toMatchObject([{ taskId: 'old', protocol: 'augmented' }])
    await run.connection.last('tools/call').answer(wrapped({ taskId: 'new' }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call', 'tasks/get'])
    expect(run.connection.last('tasks/get').params).toEqual({ taskId: 'new' })
  })
})

describe('the task has ended, and its result is still to come', () => {
  test.each(['busy', 'reset', 'internal'] as const)(
    'race 29: completed, and fetching the result fails in passing (%s): it is fetched again, and the run has not failed',
    async (failure) => {
      const run = createAugmentedRun()
      await startTask(run)
      const result = run.runner.result()
      await readSays(run, 'completed')
      await run.connection.last('tasks/result').fail(trouble[failure])
      expect(await stateOf(result)).toBe('pending')
      expect(run.view()).toMatchObject({ phase: 'working', canCancel: false, error: null })
      await vi.advanceTimersByTimeAsync(999)
      expect(run.connection.count('tasks/result')).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      await run.connection.last('tasks/result').answer(payload())
      expect((await result).data).toBe('60 tiles')
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/result'])
      expect(run.phases()).toEqual(['submitting', 'working', 'completed'])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('race 29: it keeps failing: the run is detached, nothing is read any more, and resuming fetches the result', async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/result', () => Promise.reject(trouble.busy))
    await startTask(run, { status: 'completed' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.count('tasks/result')).toBe(3)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable', canCancel: false })
    expect(vi.getTimerCount()).toBe(0)
    run.connection.on('tasks/result', () => payload())
    await run.runner.resume()
    expect((await run.runner.result()).data).toBe('60 tiles')
    expect(run.connection.count('tasks/get')).toBe(0)
    expect(run.connection.count('tasks/cancel')).toBe(0)
  })

  test('race 29: nobody answers: the fetch is given up after its time, and made again', async () => {
    const run = createAugmentedRun({ requestTimeout: 5000 })
    await startTask(run, { status: 'completed' })
    await vi.advanceTimersByTimeAsync(5999)
    expect(run.connection.count('tasks/result')).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/result')).toBe(2)
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view().phase).toBe('completed')
  })

  test('race 30: completed, and the server does not know the result any more: expired, not a failure of the work', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await readSays(run, 'completed')
    await run.connection.last('tasks/result').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired', result: null, task: { status: 'completed' } })
    expect(run.view().error?.message).toContain('completed')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(['failed', 'completed'])(
    'race 31: %s, and the result says `isError`: a failure of the tool, with its content',
    async (status) => {
      const run = createAugmentedRun()
      await startTask(run)
      await readSays(run, status)
      await run.connection.last('tasks/result').answer(payload('disk full', { isError: true }))
      expect(run.view()).toMatchObject({
        phase: 'failed',
        error: { kind: 'tool', message: 'disk full' },
        result: { isError: true, content: [{ type: 'text', text: 'disk full' }] },
      })
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
    },
  )
})

describe('a stream ends', () => {
  test('race 36: that of the early fetch: not a failure, not a cancel, and reading goes on at its own time', async () => {
    const { run, fetch, asked } = await startAsking()
    await asked.withdraw()
    await fetch.fail(trouble.reset)
    expect(run.view()).toMatchObject({ phase: 'working', error: null, isStale: false })
    await vi.advanceTimersByTimeAsync(999)
    expect(run.connection.count('tasks/get')).toBe(1)
    await readSays(run, 'working')
    await readSays(run, 'completed')
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(run.connection.wire).not.toContain('tasks/cancel')
    expect(run.connection.wire).not.toContain('notifications/cancelled')
  })

  test('race 36: pushes stop coming: reading goes on at its own time', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    for (let n = 1; n <= 4; n++) {
      await vi.advanceTimersByTimeAsync(240)
      run.connection.push(statusPush, flat('working', { statusMessage: `${n} of 9` }))
    }
    await vi.advanceTimersByTimeAsync(40)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
  })
})

describe('race 37: the session is gone', () => {
  const gone = { status: 404, code: -32001, message: 'Session not found' }

  test.each([
    ['unknown there', trouble.gone, 'expired'],
    ['known there', null, 'working'],
  ])('the run rests, and over a new one it reads: the task is %s', async (_, failure, phase) => {
    const run = createRun({}, connectAugmented({ session: 'one' }))
    await startTask(run)
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail(gone)
    expect(run.view()).toMatchObject({ phase: 'working', detachedBecause: 'connection', isStale: true, error: null })
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    const next = connectAugmented({ session: 'two' })
    run.runner.useConnection(next)
    await settle()
    expect(next.wire).toEqual(['tasks/get'])
    next.on('tasks/get', () => (failure ? Promise.reject(failure) : flat()))
    await (failure ? next.last('tasks/get').fail(failure) : next.last('tasks/get').answer(flat()))
    // A task that was just made may not be found at once.
    await vi.advanceTimersByTimeAsync(1000)
    expect(next.count('tasks/get')).toBe(2)
    expect(run.view()).toMatchObject({ phase, detachedBecause: null })
    if (failure) expect(run.view().error?.message).toContain('another session')
    expect(next.count('tools/call')).toBe(0)
  })

  test('with an open prompt: the new session is read, and the prompt that it does not ask is withdrawn', async () => {
    const { run } = await startAsking({ protocol: augmented() })
    run.connection.close(new Error('closed'))
    expect(run.view()).toMatchObject({ phase: 'input_required', detachedBecause: 'connection', canRespond: false })
    const next = connectAugmented()
    run.runner.useConnection(next)
    await settle()
    await next.last('tasks/get').answer(flat('input_required'))
    expect(openKeys(run)).toEqual([])
    expect(next.wire.toSorted()).toEqual(['tasks/get', 'tasks/result'])
    await next.last('tasks/result').answer(payload())
    expect(run.view().phase).toBe('completed')
  })
})
