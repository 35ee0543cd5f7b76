import { describe, expect, test, vi } from 'vitest'
import { completed, handle, snapshot, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, junk, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000

describe('what answers the call is not what the protocol says', () => {
  test.each(junk)('the answer is %s: the run fails as malformed, and nothing is read', async (_, answer) => {
    const run = await startTask(answer)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' }, result: null })
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    expectClear(run)
    await expectGone(run)
  })

  test.each(junk.filter(([name]) => name !== 'a string'))(
    'the id of the handle is %s: the run fails as malformed, and no such id is ever read',
    async (_, taskId) => {
      const run = await startTask(handle({ taskId }))
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' }, task: null })
      await vi.advanceTimersByTimeAsync(hour)
      expect(run.connection.wire).toEqual(['tools/call'])
      await expectGone(run)
    },
  )

  test.each(junk.filter(([, value]) => typeof value !== 'string'))(
    'the status of the handle is %s: the run fails as malformed',
    async (_, status) => {
      const run = await startTask(handle({ status }))
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
      expect(run.connection.wire).toEqual(['tools/call'])
      await expectGone(run)
    },
  )

  test.each(junk)('a wrapped handle holds %s: the run ends or is read, and never by a made-up id', async (_, task) => {
    const run = await startTask({ content: [], task })
    await vi.advanceTimersByTimeAsync(1000)
    expectClear(run)
    expect(['completed', 'failed']).toContain(run.view().phase)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test.each([
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['blank', ' '],
    ['very long', 'x'.repeat(100_000)],
    ['not ASCII', 'plan å/1 \u{1F5FA}'],
    ['more than one line', 'a\nb\r\nMcp-Name: c'],
  ])('an id that is %s is read as it is', async (_, taskId) => {
    const run = await startTask(handle({ taskId }))
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId } })
    await vi.advanceTimersByTimeAsync(1000)
    const read = run.connection.last('tasks/get')
    expect(read.params).toEqual({ taskId })
    await read.answer({ ...completed(), taskId })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test.each(junk.filter(([, value]) => typeof value !== 'string'))(
    'every other field of the handle is %s: the task is followed all the same',
    async (_, odd) => {
      const fields = { statusMessage: odd, createdAt: odd, lastUpdatedAt: odd, _meta: odd, inputRequests: odd }
      const run = await startTask(handle(fields))
      expect(run.view().phase).toBe('working')
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').answer({ ...completed(), ...fields })
      expect(run.view()).toMatchObject({ phase: 'completed', progress: null })
      await expectGone(run)
    },
  )

  test.each(junk)('the content of an outright result is %s: the run ends', async (_, content) => {
    const run = await startTask({ content })
    expect(run.view().phase).toBe(Array.isArray(content) ? 'completed' : 'failed')
    expectClear(run)
    await expectGone(run)
  })

  test('a result of an unknown type is no success', async () => {
    const run = await startTask(toolResult('done', { resultType: 'banana' }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    await expectGone(run)
  })

  test.each([
    ['flat', { content: [], resultType: 'complete', taskId: 'tk-1', status: 'working', pollIntervalMs: 1000 }],
    ['wrapped', { content: [], task: { taskId: 'tk-1', status: 'working', pollInterval: 1000 } }],
    ['wrapped, as a task', { resultType: 'task', task: { taskId: 'tk-1', status: 'working', pollIntervalMs: 1000 } }],
  ])('a handle disguised as an empty success (%s) is followed', async (_, answer) => {
    const run = await startTask(answer)
    expect(run.view()).toMatchObject({ phase: 'working', result: null, task: { taskId: 'tk-1' } })
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each(['completed', 'failed', 'input_required'])(
    'a handle that begins as %s is read at once, and leaves no listener behind when it has ended',
    async (status) => {
      const run = await startTask(handle({ status, pollIntervalMs: 60_000 }))
      await vi.advanceTimersByTimeAsync(0)
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
      const end = status === 'input_required' ? 'completed' : status
      const payload = { result: toolResult(), error: { code: -32603, message: 'renderer lost' } }
      await run.connection.last('tasks/get').answer(snapshot(end, payload))
      expect(run.view().phase).toBe(end)
      expect(run.connection.listeners).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('a handle that begins as cancelled is the end: there is nothing to read', async () => {
    const run = await startTask(handle({ status: 'cancelled' }))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, error: { kind: 'cancelled' } })
    expect(run.connection.listeners).toBe(0)
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test('input requests with keys such as `__proto__` are ordinary prompts', async () => {
    const inputRequests = JSON.parse(
      '{"__proto__":{"method":"elicitation/create","params":{"message":"a"}},"constructor":{"method":"roots/list"}}',
    )
    const run = await startTask({ resultType: 'input_required', inputRequests, requestState: 'qq' })
    expect(Object.keys(run.view().inputRequests)).toEqual(['__proto__', 'constructor'])
    const answers = JSON.parse('{"__proto__":{"action":"accept"},"constructor":{"roots":[]}}')
    void run.runner.respond(answers)
    const call = run.connection.last('tools/call')
    expect(JSON.stringify(call.params['inputResponses'])).toBe(JSON.stringify(answers))
    expect(({} as { action?: string }).action).toBeUndefined()
    await call.answer(toolResult())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each(junk)('a call that asks with input requests of %s goes on or ends', async (_, inputRequests) => {
    const run = await startTask({ resultType: 'input_required', inputRequests, requestState: inputRequests })
    await vi.advanceTimersByTimeAsync(1000)
    // No prompt is in it, so the call is sent again once the server has had time.
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
    await run.connection.last('tools/call').answer(toolResult())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each(junk)('progress is %s: it is ignored', async (_, progress) => {
    const run = await startTask(handle())
    const { onProgress } = run.connection.last('tools/call').options
    onProgress?.(progress as never)
    onProgress?.({ progress, total: progress, message: progress } as never)
    expect(run.view().progress?.value ?? null).toBe(progress === 7 ? 7 : null)
    await expectGone(run)
  })
})
