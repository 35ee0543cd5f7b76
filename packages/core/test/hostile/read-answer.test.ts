import { describe, expect, test, vi } from 'vitest'
import { accepted, completed, elicitation, handle, snapshot, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, junk, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000

describe('what answers a read is not what the protocol says', () => {
  test.each(junk)('every read is answered with %s: reading is given up, and can be resumed', async (_, answer) => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => answer as never)
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tasks/get')).toBe(3)
    expect(run.view().isTerminal || run.view().phase === 'detached').toBe(true)
    expect(run.view().error?.kind).toBe('malformed')
    expectClear(run)
    await expectGone(run)
  })

  test.each(junk)('one read is answered with %s: the next one is believed', async (_, answer) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(answer as never)
    expect(run.view()).toMatchObject({ phase: 'working', isStale: true })
    await vi.advanceTimersByTimeAsync(10_000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test.each(junk)('the id in the answer is %s: it is not our task', async (_, taskId) => {
    const run = await startTask(handle({ taskId: 'tk-2' }))
    run.connection.on('tasks/get', () => ({ ...completed(), taskId }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tasks/get')).toBe(3)
    expect(run.view()).toMatchObject({ result: null, error: { kind: 'malformed' } })
    await expectGone(run)
  })

  test.each(junk.filter(([, value]) => typeof value !== 'string'))(
    'the status in every answer is %s: it is not taken for an end',
    async (_, status) => {
      const run = await startTask(handle())
      run.connection.on('tasks/get', () => snapshot('working', { status, result: toolResult() }))
      await vi.advanceTimersByTimeAsync(hour)
      expect(run.connection.count('tasks/get')).toBe(3)
      expect(run.view().result).toBeNull()
      expectClear(run)
      await expectGone(run)
    },
  )

  test.each(junk.filter(([, value]) => value !== undefined))(
    'the result of a completed task is %s: the run fails as malformed, and is not an empty success',
    async (_, result) => {
      const run = await startTask(handle())
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').answer(snapshot('completed', { result }))
      expect(run.view()).toMatchObject({ phase: 'failed', result: null, error: { kind: 'malformed' } })
      await vi.advanceTimersByTimeAsync(hour)
      expect(run.connection.count('tasks/get')).toBe(1)
      await expectGone(run)
    },
  )

  test.each(junk.filter(([, value]) => value !== undefined))(
    'the error of a failed task is %s: the run fails with a sentence',
    async (_, error) => {
      const run = await startTask(handle())
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').answer(snapshot('failed', { error }))
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol' } })
      expectClear(run)
      await expectGone(run)
    },
  )

  test.each(junk)('the parts of the error of a failed task are %s: the run fails with a sentence', async (_, odd) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const error = { code: odd, message: odd, data: odd }
    await run.connection.last('tasks/get').answer(snapshot('failed', { error }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol' } })
    expectClear(run)
    await expectGone(run)
  })

  test.each(['completed', 'failed'])('`%s` without its payload: one more read, then malformed', async (status) => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => snapshot(status))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tasks/get')).toBe(2)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    await expectGone(run)
  })

  test('a foreign answer while the payload is fetched is a failed read, not the outcome', async () => {
    const run = await startTask(handle({ status: 'completed' }))
    await run.connection.last('tasks/get').answer({ ...completed('of another'), taskId: 'tk-2' })
    expect(run.view()).toMatchObject({ phase: 'working', result: null })
    await vi.advanceTimersByTimeAsync(10_000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test.each(junk)('input requests are %s: no prompt is shown, and reading goes on', async (_, inputRequests) => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => snapshot('input_required', { inputRequests, pollIntervalMs: 60_000 }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ inputRequests: {}, canRespond: false, isTerminal: false })
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(62)
    expectClear(run)
    await expectGone(run)
  })

  test.each(junk)('one of two input requests is %s: the other one is shown', async (_, request) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const inputRequests = { odd: request, good: elicitation(), half: { method: 'elicitation/create', params: request } }
    await run.connection.last('tasks/get').answer(snapshot('input_required', { inputRequests }))
    expect(Object.keys(run.view().inputRequests)).toEqual(['good', 'half'])
    ignore(run.runner.respond({ good: accepted }))
    expect(run.connection.last('tasks/update').params).toEqual({
      taskId: 'tk-1',
      inputResponses: { good: accepted },
    })
    await expectGone(run)
  })

  test('keys such as `__proto__` in prompts and results stay ordinary keys', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    const inputRequests = JSON.parse('{"__proto__":{"method":"roots/list"},"constructor":{"method":"toString"}}')
    await run.connection.last('tasks/get').answer(snapshot('input_required', { inputRequests }))
    expect(Object.entries(run.view().inputRequests).map(([key, { kind }]) => [key, kind])).toEqual([
      ['__proto__', 'roots'],
      ['constructor', 'unsupported'],
    ])
    ignore(run.runner.respond(JSON.parse('{"__proto__":{"roots":[]}}')))
    const update = run.connection.last('tasks/update')
    expect(JSON.stringify(update.params['inputResponses'])).toBe('{"__proto__":{"roots":[]}}')
    await update.answer({})
    expect(Object.keys(run.view().inputRequests)).toEqual(['constructor'])
    await vi.advanceTimersByTimeAsync(1000)
    const result = JSON.parse('{"content":[],"structuredContent":{"__proto__":{"polluted":true}}}')
    await run.connection.last('tasks/get').answer(snapshot('completed', { result }))
    expect(run.view().phase).toBe('completed')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    await expectGone(run)
  })

  test('a stamp from the far future silences later snapshots, but never the end', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('working', { lastUpdatedAt: '9999-01-01T00:00:00Z' }))
    await vi.advanceTimersByTimeAsync(1000)
    const older = snapshot('working', { lastUpdatedAt: '2026-01-01T00:00:00Z', statusMessage: 'older' })
    await run.connection.last('tasks/get').answer(older)
    expect(run.view().task?.statusMessage).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer({ ...completed(), lastUpdatedAt: '2026-01-01T00:00:01Z' })
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test('an outdated answer is an answer all the same: it ends a row of failures', async () => {
    const run = await startTask(handle({ lastUpdatedAt: '2026-01-02T00:00:00Z' }))
    run.connection.on('tasks/get', (_, nth) =>
      nth % 2 === 1
        ? Promise.reject({ status: 503, message: 'busy' })
        : snapshot('working', { lastUpdatedAt: '2026-01-01T00:00:00Z' }),
    )
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
    expect(run.connection.count('tasks/get')).toBeGreaterThan(6)
    await expectGone(run)
  })
})
