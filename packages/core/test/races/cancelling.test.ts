// What concerns 2025-11-25 alone (race 2, server requests of race 9) is in `../augmented`.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { accepted, completed, elicitation, handle, snapshot, toolResult } from '../support/fake-connection.ts'
import { cancel, createRun, fire, fireTask, ignore, nextRead, stateOf, trouble, type Answer } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const asking = () => snapshot('input_required', { inputRequests: { overwrite: elicitation() } })

describe('the task ends while it is being cancelled', () => {
  test('race 1: it completes after the cancel was acknowledged: the result is shown, and nobody was told "cancelled"', async () => {
    const run = createRun()
    await fireTask(run)
    const result = run.runner.result()
    await cancel(run).answer({})
    expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true, confirmed: null, isTerminal: false })
    await (await nextRead(run)).answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: true, result: { data: '60 tiles' } })
    expect((await result).data).toBe('60 tiles')
    expect(run.phases()).toEqual(['submitting', 'working', 'cancelling', 'completed'])
    expect(run.settled).toHaveLength(1)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel', 'tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 1: it completes before the cancel is acknowledged: the late acknowledgement changes nothing', async () => {
    const run = createRun()
    await fireTask(run)
    const request = cancel(run)
    run.connection.push('notifications/tasks', completed())
    const shown = run.view()
    expect(shown).toMatchObject({ phase: 'completed', cancelRequested: true })
    await request.answer({})
    expect(run.view()).toBe(shown)
    expect(run.settled).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('cancel comes before the id is known', () => {
  test.each(['working', 'input_required', 'paused'])(
    'race 3: cancel before the id is known sends tasks/cancel first (the handle says %s)',
    async (status) => {
      const run = createRun()
      const call = fire(run)
      const cancelled = run.runner.cancel()
      expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true, canCancel: false })
      expect(run.connection.wire).toEqual(['tools/call'])
      expect(call.options.signal?.aborted).toBe(false)
      await call.answer(handle({ status }))
      expect(run.connection.wire.slice(0, 2)).toEqual(['tools/call', 'tasks/cancel'])
      expect(run.connection.last('tasks/cancel').params).toEqual({ taskId: 'tk-1' })
      expect(await stateOf(cancelled)).toBe('pending')
      await run.connection.last('tasks/cancel').answer({})
      expect(await stateOf(cancelled)).toBe('resolved')
      expect(run.connection.wire).not.toContain('notifications/cancelled')
      expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {} })
    },
  )

  test.each([
    ['a result', toolResult('done'), { phase: 'completed', result: { data: 'done' } }],
    ['an error of the tool', toolResult('no disk', { isError: true }), { phase: 'failed', error: { kind: 'tool' } }],
  ])(
    'race 4: cancel before the id is known, and the call is answered with %s: that is shown',
    async (_, answer, shown) => {
      const run = createRun()
      const call = fire(run)
      ignore(run.runner.cancel())
      await call.answer(answer)
      expect(run.view()).toMatchObject({ ...shown, cancelRequested: true, task: { taskId: null } })
      expect(run.connection.wire).toEqual(['tools/call'])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('race 5: cancel before the id is known, then the call is lost: the wish is kept, and a late handle is cancelled', async () => {
    const run = createRun({ idempotent: true, submitTimeout: 5000 })
    const call = fire(run)
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view()).toMatchObject({
      phase: 'detached',
      detachedBecause: 'lost',
      cancelRequested: true,
      error: { kind: 'lost' },
    })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    await call.answer(handle())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(run.view()).toMatchObject({ phase: 'cancelling', error: null })
    expect(run.orphans).toEqual([])
  })
})

describe('the cancel request fails', () => {
  test('race 6: the cancel request meets a busy server once: one click, two requests, no error', async () => {
    const run = createRun()
    await fireTask(run)
    const cancelled = run.runner.cancel()
    await run.connection.last('tasks/cancel').fail(trouble.busy)
    expect(run.view()).toMatchObject({ phase: 'cancelling', error: null })
    expect(await stateOf(cancelled)).toBe('pending')
    await vi.advanceTimersByTimeAsync(250)
    expect(run.connection.count('tasks/cancel')).toBe(2)
    await run.connection.last('tasks/cancel').answer({})
    expect(await stateOf(cancelled)).toBe('resolved')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.connection.count('tasks/cancel')).toBe(2)
    expect(run.phases()).toEqual(['submitting', 'working', 'cancelling'])
  })

  test('race 7: the cancel request keeps failing: that is reported, and the task is still watched', async () => {
    const run = createRun({ cancelGrace: 100_000 })
    await fireTask(run)
    const cancelled = run.runner.cancel()
    run.connection.on('tasks/cancel', () => Promise.reject(trouble.busy))
    await run.connection.last('tasks/cancel').fail(trouble.busy)
    await vi.advanceTimersByTimeAsync(999)
    expect(run.connection.count('tasks/cancel')).toBe(3)
    expect(await stateOf(cancelled)).toBe('resolved')
    expect(run.view()).toMatchObject({
      phase: 'working',
      cancelRequested: false,
      canCancel: true,
      error: { kind: 'unreachable', message: 'Service Unavailable' },
    })
    await (await nextRead(run)).answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: false, error: null })
    expect(run.phases()).not.toContain('cancelled')
  })

  test('race 7: the cancel request keeps failing while a prompt was open: the prompt can be answered again', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(asking())
    run.connection.on('tasks/cancel', () => Promise.reject(trouble.busy))
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {}, canRespond: false })
    await vi.advanceTimersByTimeAsync(900)
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true, error: { kind: 'unreachable' } })
    ignore(run.runner.respond({ overwrite: accepted }))
    expect(run.connection.last('tasks/update').params).toMatchObject({ inputResponses: { overwrite: accepted } })
  })

  test.each(['never read before', 'read before'])(
    'race 8: the answer to the first cancel is lost, then the task is gone (%s): it counts as cancelled, unconfirmed',
    async (history) => {
      const run = createRun()
      await fireTask(run)
      if (history === 'read before') await (await nextRead(run)).answer(snapshot())
      await cancel(run).fail(trouble.reset)
      await vi.advanceTimersByTimeAsync(250)
      run.connection.on('tasks/get', () => Promise.reject(trouble.gone))
      await run.connection.last('tasks/cancel').fail(trouble.gone)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: false, error: { kind: 'cancelled' } })
      expect(run.phases()).toEqual(['submitting', 'working', 'cancelling', 'cancelled'])
      expect(run.connection.count('tasks/cancel')).toBe(2)
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})

describe('what else happens while it is being cancelled', () => {
  test('race 9: the server asks for input while it is being cancelled: nobody is asked and nothing is answered', async () => {
    const onInputRequired = vi.fn<Answer>(() => Promise.resolve(accepted))
    const run = createRun({ onInputRequired })
    await fireTask(run)
    await cancel(run).answer({})
    await (await nextRead(run)).answer(asking())
    expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {}, canRespond: false })
    ignore(run.runner.respond({ overwrite: accepted }))
    await (await nextRead(run)).answer(snapshot('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(onInputRequired).not.toHaveBeenCalled()
    expect(run.connection.count('tasks/update')).toBe(0)
    expect(run.phases()).not.toContain('input_required')
  })

  test('race 10: reads fail while it is being cancelled: it stays cancelling and backs off', async () => {
    const run = createRun({ maxPollFailures: 5 })
    await fireTask(run)
    await cancel(run).answer({})
    await (await nextRead(run)).fail(trouble.busy)
    expect(run.view()).toMatchObject({ phase: 'cancelling', isStale: true, error: null })
    await (await nextRead(run)).fail(trouble.busy)
    await vi.advanceTimersByTimeAsync(1999)
    expect(run.connection.count('tasks/get')).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    await run.connection.last('tasks/get').answer(snapshot())
    expect(run.view()).toMatchObject({ phase: 'cancelling', isStale: false })
    expect(run.phases()).toEqual(['submitting', 'working', 'cancelling'])
    expect(run.connection.count('tasks/cancel')).toBe(1)
  })

  test('race 10: reads are given up while it is being cancelled: the wish is kept, and resuming goes on with it', async () => {
    const run = createRun()
    await fireTask(run)
    await cancel(run).answer({})
    run.connection.on('tasks/get', () => Promise.reject(trouble.busy))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable', cancelRequested: true })
    expect(vi.getTimerCount()).toBe(0)
    run.connection.on('tasks/get', () => snapshot('cancelled'))
    await run.runner.resume()
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, cancelRequested: true })
    expect(run.phases().slice(-3)).toEqual(['detached', 'cancelling', 'cancelled'])
  })

  test.each(['working', 'input_required', 'cancelling'])(
    'race 11: somebody else cancels the task while it is %s: the word of the server counts',
    async (phase) => {
      const run = createRun()
      await fireTask(run)
      if (phase === 'input_required') await (await nextRead(run)).answer(asking())
      const request = phase === 'cancelling' ? cancel(run) : null
      expect(run.view().phase).toBe(phase)
      run.connection.push('notifications/tasks', snapshot('cancelled', { statusMessage: 'Stopped by an operator' }))
      expect(run.view()).toMatchObject({
        phase: 'cancelled',
        confirmed: true,
        cancelRequested: phase === 'cancelling',
        inputRequests: {},
        error: { kind: 'cancelled', message: 'Stopped by an operator' },
      })
      await request?.fail(trouble.gone)
      expect(run.view().phase).toBe('cancelled')
      expect(run.connection.count('tasks/cancel')).toBe(phase === 'cancelling' ? 1 : 0)
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})
