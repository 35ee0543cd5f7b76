import { describe, expect, test, vi } from 'vitest'
import { accepted, completed, elicitation, handle, snapshot } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, junk, startTask } from '../support/hostile.ts'

containedTests()

const more = [
  ...junk,
  ['a task of the older kind', { taskId: 'tk-1', status: 'cancelled', ttl: null }],
  ['another task', { taskId: 'tk-2', status: 'completed', result: { content: [] } }],
] as const

describe('acknowledgements', () => {
  test.each(more)('the cancel is acknowledged with %s: heard, and nothing more', async (_, ack) => {
    const run = await startTask(handle())
    ignore(run.runner.cancel())
    await run.connection.last('tasks/cancel').answer(ack as never)
    expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true, result: null })
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(run.connection.count('tasks/cancel')).toBe(1)
    await expectGone(run)
  })

  test.each(more)('the answers are acknowledged with %s: delivered', async (_, ack) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection
      .last('tasks/get')
      .answer(snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
    const responded = run.runner.respond({ overwrite: accepted })
    await run.connection.last('tasks/update').answer(ack as never)
    await responded
    expect(run.view()).toMatchObject({ inputRequests: {}, canRespond: false, error: null })
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    expect(run.connection.count('tasks/update')).toBe(1)
    await expectGone(run)
  })
})

const errors: readonly (readonly [string, unknown])[] = [
  ...junk,
  ['an Error', new Error('socket hang up')],
  ['an Error without words', new Error()],
  ['a frozen object', Object.freeze({ code: -32603, message: 'busy' })],
  ['a code that is text', { code: '-32602', message: 'Task not found' }],
  ['a code that is no number', { code: NaN, message: 'odd' }],
  ['a message that is an object', { code: -32603, message: { text: 'odd' } }],
  ['data that is null', { code: -32603, message: 'odd', data: null }],
  ['data that is text', { code: -32603, message: 'odd', data: 'requiredCapabilities' }],
  ['a status that is text', { status: '503', message: 'odd' }],
  ['retryAfter as text', { status: 429, message: 'slow down', retryAfter: '7' }],
  ['retryAfter below zero', { status: 429, message: 'slow down', retryAfter: -7000 }],
  ['retryAfter of no number', { status: 429, message: 'slow down', retryAfter: NaN }],
  ['a field named like ours', { sort: 'banana', message: 'odd' }],
  ['a field named like ours, with nothing in it', { sort: undefined }],
]

describe('errors', () => {
  test.each(errors)('the call fails with %s: the run ends or is lost, with a sentence', async (_, error) => {
    const run = await startTask(handle())
    run.runner.reset()
    ignore(run.runner.fire())
    await run.connection.last('tools/call').fail(error as object)
    expect(['failed', 'detached', 'expired']).toContain(run.view().phase)
    expect(run.view().error).not.toBeNull()
    expectClear(run)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.connection.count('tools/call')).toBe(2)
    await expectGone(run)
  })

  test.each(errors)('every read fails with %s: reading is given up soon, with a sentence', async (_, error) => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => Promise.reject(error))
    await vi.advanceTimersByTimeAsync(3_600_000)
    const { isTerminal, phase } = run.view()
    expect(isTerminal || phase === 'detached').toBe(true)
    expectClear(run)
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(3)
    await expectGone(run)
  })

  test.each(errors)('one read fails with %s: the next one is believed', async (_, error) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail(error as object)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.count('tasks/get')).toBeGreaterThan(1)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test.each(errors)('every cancel fails with %s: reported, and the task is followed', async (_, error) => {
    const run = await startTask(handle())
    run.connection.on('tasks/cancel', () => Promise.reject(error))
    run.connection.on('tasks/get', () => snapshot('working', { pollIntervalMs: 60_000 }))
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.view()).toMatchObject({ phase: 'working', cancelRequested: false })
    expect(run.view().error).not.toBeNull()
    expect(run.connection.count('tasks/cancel')).toBeLessThanOrEqual(3)
    expectClear(run)
    await expectGone(run)
  })

  test.each(errors)('every update fails with %s: reported, and the prompt is open again', async (_, error) => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () =>
      snapshot('input_required', { inputRequests: { overwrite: elicitation() }, pollIntervalMs: 60_000 }),
    )
    run.connection.on('tasks/update', () => Promise.reject(error))
    await vi.advanceTimersByTimeAsync(1000)
    ignore(run.runner.respond({ overwrite: accepted }))
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true })
    expect(run.view().error).not.toBeNull()
    expect(run.connection.count('tasks/update')).toBeLessThanOrEqual(3)
    expectClear(run)
    await expectGone(run)
  })
})
