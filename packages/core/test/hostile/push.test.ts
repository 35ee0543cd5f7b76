import { describe, expect, test, vi } from 'vitest'
import { completed, elicitation, handle, snapshot, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, junk, startRun, startTask } from '../support/hostile.ts'

containedTests()

const method = 'notifications/tasks'

describe('pushes', () => {
  test.each(junk)('a push is %s: it is ignored', async (_, push) => {
    const run = await startTask(handle())
    const before = run.view()
    run.connection.push(method, push as never)
    run.connection.push('notifications/tasks/status', push as never)
    expect(run.view()).toBe(before)
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each(junk.filter(([, value]) => value !== 'tk-1'))(
    'the id in a push is %s: it is ignored',
    async (_, taskId) => {
      const run = await startTask(handle())
      run.connection.push(method, { ...completed(), taskId })
      expect(run.view()).toMatchObject({ phase: 'working', result: null })
      await expectGone(run)
    },
  )

  test.each(junk.filter(([, value]) => typeof value !== 'string'))(
    'the status in a push is %s: it is ignored',
    async (_, status) => {
      const run = await startTask(handle())
      run.connection.push(method, snapshot('working', { status, result: toolResult() }))
      expect(run.view()).toMatchObject({ phase: 'working', result: null })
      await expectGone(run)
    },
  )

  test.each(junk.filter(([, value]) => value !== undefined))(
    'a push says completed, and its result is %s: the run fails as malformed',
    async (_, result) => {
      const run = await startTask(handle())
      run.connection.push(method, snapshot('completed', { result }))
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
      await expectGone(run)
    },
  )

  test.each(junk)(
    'a push says that input is required, and the requests are %s: reading goes on',
    async (_, requests) => {
      const run = await startTask(handle())
      run.connection.push(method, snapshot('input_required', { inputRequests: requests }))
      expectClear(run)
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').answer(completed())
      expect(run.view().phase).toBe('completed')
      await expectGone(run)
    },
  )

  test('thousands of pushes about strangers while a call is out neither grow the memory nor reach the view', async () => {
    const run = startRun()
    ignore(run.runner.fire())
    for (let i = 0; i < 5000; i++) run.connection.push(method, snapshot('completed', { taskId: `stranger-${i}` }))
    expect(run.view()).toMatchObject({ phase: 'submitting', task: null })
    await run.connection.last('tools/call').answer(handle())
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1' } })
    await expectGone(run)
  })

  test('the end came before the handle, and something older after it: the end is not lost', async () => {
    const run = startRun()
    ignore(run.runner.fire())
    run.connection.push(method, { ...completed(), lastUpdatedAt: '2026-11-02T08:15:02Z' })
    run.connection.push(method, snapshot('working', { lastUpdatedAt: '2026-11-02T08:15:01Z' }))
    await run.connection.last('tools/call').answer(handle({ pollIntervalMs: 60_000 }))
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test('a thousand pushes a second cause no read, and no render unless something changed', async () => {
    const run = await startTask(handle({ pollIntervalMs: 5000 }))
    let renders = 0
    run.runner.subscribe(() => renders++)
    for (let i = 0; i < 1000; i++) run.connection.push(method, snapshot('working', { pollIntervalMs: 5000 }))
    expect(renders).toBeLessThanOrEqual(1)
    await vi.advanceTimersByTimeAsync(4999)
    expect(run.connection.wire).toEqual(['tools/call'])
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    await expectGone(run)
  })

  test('after the end, whatever is pushed changes nothing', async () => {
    const run = await startTask(handle())
    run.connection.push(method, completed())
    const ended = run.view()
    expect(ended.phase).toBe('completed')
    for (const late of [
      snapshot('failed', { error: { code: 1, message: 'no' } }),
      snapshot('cancelled'),
      snapshot('input_required', { inputRequests: { k: elicitation() } }),
      completed('another'),
    ])
      run.connection.push(method, late)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.view()).toBe(ended)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })
})
