import { describe, expect, test, vi } from 'vitest'
import { completed, handle, settle, snapshot, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectGone, ignore, startRun, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000

describe('results and errors', () => {
  test('P43: `completed` with `isError` is a failure of the tool, with its whole result and its own words', async () => {
    const run = await startTask(handle())
    const result = run.runner.result()
    ignore(result)
    await vi.advanceTimersByTimeAsync(1000)
    const raw = toolResult('disk full', { isError: true, structuredContent: { free: 0 } })
    await run.connection.last('tasks/get').answer(snapshot('completed', { result: raw, statusMessage: 'done' }))
    expect(run.view()).toMatchObject({
      phase: 'failed',
      error: { kind: 'tool', message: 'disk full' },
      result: { isError: true, data: { free: 0 }, raw },
    })
    await expect(result).rejects.toMatchObject({ kind: 'tool' })
    await expectGone(run)
  })

  test('P43: the status message is never taken for the content', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const result = { content: [] }
    await run.connection.last('tasks/get').answer(snapshot('completed', { statusMessage: 'all done', result }))
    expect(run.view()).toMatchObject({ phase: 'completed', result: { content: [], data: undefined } })
    await expectGone(run)
  })

  test.each(['completed', 'failed'])(
    'P44: `%s` without its payload is read once more, then malformed',
    async (status) => {
      const run = await startTask(handle())
      run.connection.on('tasks/get', () => snapshot(status))
      await vi.advanceTimersByTimeAsync(hour)
      expect(run.connection.count('tasks/get')).toBe(2)
      expect(run.view()).toMatchObject({
        phase: 'failed',
        error: { kind: 'malformed', data: { status } },
        result: null,
      })
      await expectGone(run)
    },
  )

  test('P44: the second read has the payload: completed', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', (_, nth) => (nth === 1 ? snapshot('completed') : completed()))
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test('P45: an id and a status are enough', async () => {
    const run = await startTask({ resultType: 'task', taskId: 'tk-1', status: 'working' })
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1' } })
    await vi.advanceTimersByTimeAsync(2000)
    await run.connection.last('tasks/get').answer({ taskId: 'tk-1', status: 'working' })
    await vi.advanceTimersByTimeAsync(2000)
    await run.connection.last('tasks/get').answer({ taskId: 'tk-1', status: 'completed', result: toolResult() })
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each([
    ['of the extension', { ttlMs: 900_000, pollIntervalMs: 5000 }],
    ['of 2025', { ttl: 900_000, pollInterval: 5000 }],
    ['of the drafts', { ttlSeconds: 900, pollIntervalMilliseconds: 5000 }],
    ['of the first draft', { ttl: '900000', pollFrequency: 5000 }],
  ])('P45: names %s are understood', async (_, names) => {
    const run = await startTask({ resultType: 'task', taskId: 'tk-1', status: 'working', ...names })
    expect(run.view().task).toMatchObject({ ttl: 900_000, pollInterval: 5000 })
    await vi.advanceTimersByTimeAsync(4999)
    expect(run.connection.count('tasks/get')).toBe(0)
    await expectGone(run)
  })

  test('P46: a handle without an id fails at once, and nothing is read', async () => {
    const run = await startTask({ resultType: 'task', status: 'working' })
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    expect(run.view().error?.message).toMatch(/taskId/)
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test('P47: an answer about another task is a failed read', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer({ ...completed('of another'), taskId: 'tk-2' })
    expect(run.view()).toMatchObject({ phase: 'working', isStale: true, result: null })
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test('P47: a push about another task is none of ours', async () => {
    const run = await startTask(handle())
    run.connection.push('notifications/tasks', { ...completed('of another'), taskId: 'tk-2' })
    expect(run.view()).toMatchObject({ phase: 'working', result: null })
    await expectGone(run)
  })

  test.each([
    ['an error of the SDK 1.x', Object.assign(new Error('MCP error -32603: renderer lost'), { code: -32603 })],
    ['an error of the SDK 2.x', Object.assign(new Error('renderer lost'), { code: -32603, data: { shard: 3 } })],
    ['a plain object', { code: -32603, message: 'renderer lost' }],
  ])('P48: %s reads the same', async (_, error) => {
    const run = startRun()
    const fired = run.runner.fire()
    await run.connection.last('tools/call').fail(error)
    await expect(fired).rejects.toMatchObject({ kind: 'protocol', code: -32603, message: 'renderer lost' })
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', code: -32603 } })
    await expectGone(run)
  })

  test('P49: "not found" after a known task is `expired`, not `failed`', async () => {
    const run = await startTask(handle({ ttlMs: 1000, pollIntervalMs: 500 }))
    await vi.advanceTimersByTimeAsync(500)
    await run.connection.last('tasks/get').answer(snapshot('working', { ttlMs: 1000, pollIntervalMs: 500 }))
    await vi.advanceTimersByTimeAsync(500)
    await run.connection.last('tasks/get').fail({ code: -32602, message: 'Task not found' })
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' }, result: null })
    await expectGone(run)
  })

  test('P49: a ttl that passes is decided by one last read: completed, and it counts', async () => {
    const run = await startTask(handle({ ttlMs: 1500, pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(1500)
    expect(run.connection.count('tasks/get')).toBe(1)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test('P49: a longer ttl in a later answer moves the deadline', async () => {
    const run = await startTask(handle({ ttlMs: 1500 }))
    run.connection.on('tasks/get', () => snapshot('working', { ttlMs: 100_000, pollIntervalMs: 10_000 }))
    await vi.advanceTimersByTimeAsync(90_000)
    expect(run.view()).toMatchObject({ phase: 'working', error: null, task: { ttl: 100_000 } })
    await expectGone(run)
  })

  test('P49: a task that is silent about its end expires one interval after its ttl', async () => {
    const run = await startTask(handle({ ttlMs: 5000 }))
    run.connection.on('tasks/get', () => snapshot('working', { ttlMs: 5000 }))
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view().phase).toBe('working')
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    await expectGone(run)
  })

  test('P49: it may be looked at once more, and what it says then counts', async () => {
    const run = await startTask(handle({ ttlMs: 5000 }))
    run.connection.on('tasks/get', (_, nth) => (nth < 8 ? snapshot('working', { ttlMs: 5000 }) : completed()))
    await vi.advanceTimersByTimeAsync(6000)
    expect(run.view().phase).toBe('expired')
    const read = run.connection.count('tasks/get')
    run.connection.on('tasks/get', () => completed())
    await run.runner.resume()
    expect(run.connection.count('tasks/get')).toBe(read + 1)
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test('P50: a task that died with its request says so in the words of the server', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const error = { code: -32603, message: 'context canceled' }
    await run.connection.last('tasks/get').answer(snapshot('failed', { error }))
    expect(run.view()).toMatchObject({ phase: 'failed', canRetry: true, error: { message: 'context canceled' } })
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tools/call')).toBe(1)
    await expectGone(run)
  })

  test('P53: a prompt stored as a completed result is no success', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const result = { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } }
    await run.connection.last('tasks/get').answer(snapshot('completed', { result }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' }, inputRequests: {} })
    await settle()
    await expectGone(run)
  })

  test('P53: a task handle stored as a completed result is no success', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('completed', { result: handle({ taskId: 'tk-2' }) }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    await expectGone(run)
  })
})
