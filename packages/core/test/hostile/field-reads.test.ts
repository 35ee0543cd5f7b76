import { describe, expect, test, vi } from 'vitest'
import { accepted, completed, elicitation, handle, snapshot, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectGone, ignore, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000

describe('reads and ends', () => {
  test('P30: a slow read is never overlapped by another', async () => {
    const run = await startTask(handle(), { requestTimeout: 300_000 })
    await vi.advanceTimersByTimeAsync(200_000)
    expect(run.connection.count('tasks/get')).toBe(1)
    await run.connection.last('tasks/get').answer(snapshot())
    await vi.advanceTimersByTimeAsync(999)
    expect(run.connection.count('tasks/get')).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(2)
    await expectGone(run)
  })

  test('P30: an answer that comes after the time-out, or after the end, is dropped', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const slow = run.connection.last('tasks/get')
    await vi.advanceTimersByTimeAsync(30_000 + 1000)
    expect(run.connection.count('tasks/get')).toBe(2)
    await slow.answer(snapshot('working', { statusMessage: 'late' }))
    expect(run.view().task?.statusMessage).toBeUndefined()
    const last = run.connection.last('tasks/get')
    run.connection.push('notifications/tasks', completed())
    await last.answer(snapshot('failed', { error: { code: 1, message: 'no' } }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view().phase).toBe('completed')
    expect(run.connection.count('tasks/get')).toBe(2)
    await expectGone(run)
  })

  test('P30: disposing during a read arms nothing when it is answered', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    run.runner.dispose()
    await run.connection.last('tasks/get').answer(snapshot())
    expect(vi.getTimerCount()).toBe(0)
    await expectGone(run)
  })

  test('P30: a read that was asked for, and timed out together with a cancel, is not sent again out of turn', async () => {
    const run = await startTask(handle({ status: 'input_required', pollIntervalMs: 5000 }), { maxWait: 10_000 })
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(30_000)
    expect(run.connection.count('tasks/get')).toBe(1)
    await expectGone(run)
  })

  test('P31: words of the server that nobody knows are shown, and never end the run', async () => {
    const run = await startTask(handle())
    for (const word of ['paused', 'running', 'rejected', 'auth-required', 'succeeded', 'unknown', '']) {
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').answer(snapshot(word, { result: toolResult('not yet') }))
      expect(run.view()).toMatchObject({ phase: 'working', result: null, task: { status: 'working', rawStatus: word } })
    }
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', task: { rawStatus: undefined } })
    await expectGone(run)
  })

  test('P31: `maxWait` bounds a task that never ends', async () => {
    const run = await startTask(handle(), { maxWait: 60_000 })
    run.connection.on('tasks/get', () => snapshot('paused'))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'timeout', error: { kind: 'timeout' } })
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(60)
    await expectGone(run)
  })

  test('P39: a cancel during a prompt takes the prompt away, and it does not come back', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
    await vi.advanceTimersByTimeAsync(1000)
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {} })
    await run.connection.last('tasks/cancel').answer({})
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {}, canRespond: false })
    await run.runner.respond({ overwrite: accepted })
    expect(run.connection.count('tasks/update')).toBe(0)
    await expectGone(run)
  })
})
