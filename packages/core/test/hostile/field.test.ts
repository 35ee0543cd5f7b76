import { describe, expect, test, vi } from 'vitest'
import { completed, handle, settle, snapshot } from '../support/fake-connection.ts'
import { containedTests, expectGone, ignore, startRun, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000

describe('polling', () => {
  test('P19: the first read waits for the interval that the handle named', async () => {
    const run = await startTask(handle({ pollIntervalMs: 5000 }))
    await vi.advanceTimersByTimeAsync(4999)
    expect(run.connection.wire).toEqual(['tools/call'])
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    await expectGone(run)
  })

  test.each([0, -1, 1])('P20: an interval of %j ms is no busy loop', async (pollIntervalMs) => {
    const run = await startTask(handle({ pollIntervalMs }))
    run.connection.on('tasks/get', () => snapshot('working', { pollIntervalMs }))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.connection.count('tasks/get')).toBe(40)
    await expectGone(run)
  })

  test('P20: a floor of the caller wins over the server', async () => {
    const run = await startTask(handle({ pollIntervalMs: 0 }), { minPollInterval: 5000 })
    run.connection.on('tasks/get', () => snapshot('working', { pollIntervalMs: 0 }))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.connection.count('tasks/get')).toBe(2)
    await expectGone(run)
  })

  test('P22: a busy server and a time-out between two good answers do not end the run', async () => {
    const run = await startTask(handle())
    const answers = [
      () => Promise.resolve(snapshot()),
      () => Promise.reject({ code: -32603, message: 'busy' }),
      () => Promise.reject({ code: -32001, message: 'Request timed out' }),
      () => Promise.resolve(completed()),
    ]
    run.connection.on('tasks/get', (_, nth) => answers[nth - 1]!())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    await expectGone(run)
  })

  test('P22: at the third failure in a row reading is given up, the id is kept, and it can be resumed', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => Promise.reject({ code: -32603, message: 'busy' }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tasks/get')).toBe(3)
    expect(run.view()).toMatchObject({
      phase: 'detached',
      detachedBecause: 'unreachable',
      error: { kind: 'unreachable', message: 'busy', retryable: true },
      task: { taskId: 'tk-1' },
    })
    run.connection.on('tasks/get', () => completed())
    await run.runner.resume()
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    await expectGone(run)
  })

  test('P23: after 429 with `Retry-After: 7` nothing is read for seven seconds', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail({ status: 429, message: 'slow down', retryAfter: 7000 })
    await vi.advanceTimersByTimeAsync(6999)
    expect(run.connection.count('tasks/get')).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(2)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each([408, 425, 429, 500, 502, 503, 504])('P23: HTTP %i passes', async (status) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail({ status, message: 'not now' })
    expect(run.view()).toMatchObject({ phase: 'working', isStale: true, error: null })
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot())
    expect(run.view()).toMatchObject({ phase: 'working', isStale: false })
    await expectGone(run)
  })

  test.each([
    [{ code: -32601, message: 'no such method' }, 'failed', 'protocol'],
    [{ code: -32021, message: 'capability missing', data: { requiredCapabilities: {} } }, 'failed', 'unsupported'],
    [{ status: 401, message: 'who are you?' }, 'detached', 'unauthorized'],
    [{ status: 403, message: 'not you' }, 'detached', 'unauthorized'],
  ])('P24: %j is not repeated, and the text of the server is kept', async (error, phase, kind) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail(error)
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase, error: { kind, message: error.message } })
    expect(run.connection.count('tasks/get')).toBe(1)
    await expectGone(run)
  })

  test('P24: "not found" right after the handle is read once more, then the run has expired', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => Promise.reject({ code: -32602, message: 'Task not found' }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tasks/get')).toBe(2)
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    await expectGone(run)
  })

  test('P26: a push that says completed ends the wait at once', async () => {
    const run = await startTask(handle({ pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(1000)
    run.connection.push('notifications/tasks', completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test('P26: so does one of the older name, without the result: that is read at once', async () => {
    const run = await startTask(handle({ pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(1000)
    run.connection.push('notifications/tasks/status', { taskId: 'tk-1', status: 'completed' })
    await settle()
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test('P26: so does one that came before the handle', async () => {
    const run = startRun()
    ignore(run.runner.fire())
    run.connection.push('notifications/tasks', completed())
    await run.connection.last('tools/call').answer(handle({ pollIntervalMs: 60_000 }))
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })
})
