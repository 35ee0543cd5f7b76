import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createAugmentedRun,
  fireCall,
  flat,
  payload,
  readSays,
  startTask,
  statusPush,
  wrapped,
} from '../support/augmented.ts'
import { toolResult } from '../support/fake-connection.ts'
import { cancel, ignore } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the answer to the cancel is the task', () => {
  test('it is cancelled: confirmed, without a read and without a fetch, and what comes later changes nothing', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await cancel(run).answer({ ...flat('cancelled', { statusMessage: 'Stopped by caller' }), _meta: {} })
    const shown = run.view()
    expect(shown).toMatchObject({ phase: 'cancelled', confirmed: true, error: { message: 'Stopped by caller' } })
    run.connection.push(statusPush, flat('completed'))
    run.connection.push(statusPush, flat())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toBe(shown)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('it has completed: its result is fetched', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await cancel(run).answer(flat('completed'))
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: true })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel', 'tasks/result'])
  })

  test.each([
    ['it works on', flat()],
    ['another task', flat('cancelled', { taskId: 'tk-2' })],
    ['an empty acknowledgement', {}],
  ])('%s: the wish was heard, and reads tell the rest', async (_, answer) => {
    const run = createAugmentedRun()
    await startTask(run)
    await cancel(run).answer(answer)
    expect(run.view()).toMatchObject({ phase: 'cancelling', task: { taskId: 'tk-1' }, confirmed: null })
    await readSays(run, 'cancelled')
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel', 'tasks/get'])
  })

  test('the server has no cancel: that is said, nothing more is sent, and the task is followed', async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/cancel', () => Promise.reject({ reason: 'unsupported', message: 'No cancel here' }))
    await startTask(run)
    await run.runner.cancel()
    expect(run.view()).toMatchObject({ phase: 'working', canCancel: false, cancelRequested: false })
    expect(run.view().error).toMatchObject({ kind: 'unsupported' })
    await run.runner.cancel()
    expect(run.connection.count('tasks/cancel')).toBe(1)
    await readSays(run, 'completed')
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view().phase).toBe('completed')
  })
})

describe('cancel comes before the id is known', () => {
  test.each(['working', 'input_required', 'paused'])(
    'race 3: cancel before the id is known sends tasks/cancel first (the handle says %s)',
    async (status) => {
      const run = createAugmentedRun()
      const call = await fireCall(run)
      ignore(run.runner.cancel())
      expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true })
      expect(call.options.signal?.aborted).toBe(false)
      await call.answer(wrapped({ status }))
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
      expect(run.connection.last('tasks/cancel').params).toEqual({ taskId: 'tk-1' })
      await run.connection.last('tasks/cancel').answer(flat('cancelled'))
      expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test.each(['completed', 'failed'])(
    'race 3: the handle says %s: nothing is left to cancel, only to fetch',
    async (status) => {
      const run = createAugmentedRun()
      const call = await fireCall(run)
      ignore(run.runner.cancel())
      await call.answer(wrapped({ status }))
      await run.connection.last('tasks/result').answer(payload())
      expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: true })
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/result'])
    },
  )

  test('race 3: cancelled and reset: the handle that comes late is cancelled, and nobody is told', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    ignore(run.runner.cancel())
    run.runner.reset()
    await call.answer(wrapped())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(run.orphans).toEqual([])
  })

  test('race 5: the call is lost: the wish is kept, and a late handle is cancelled', async () => {
    const run = createAugmentedRun({ submitTimeout: 5000 })
    const call = await fireCall(run)
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', cancelRequested: true })
    expect(run.connection.wire).toEqual(['tools/call'])
    await call.answer(wrapped())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(run.view()).toMatchObject({ phase: 'cancelling', error: null })
    expect(run.orphans).toEqual([])
  })

  test('race 4: the call is answered outright: that is shown', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    ignore(run.runner.cancel())
    await call.answer(toolResult())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: true })
    expect(run.connection.wire).toEqual(['tools/call'])
  })
})
