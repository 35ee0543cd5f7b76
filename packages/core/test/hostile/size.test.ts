import { describe, expect, test, vi } from 'vitest'
import { elicitation, handle, snapshot } from '../support/fake-connection.ts'
import { containedTests, expectGone, ignore, nested, startTask } from '../support/hostile.ts'

containedTests()

const long = 'x'.repeat(10_000_000)
const deep = nested(100_000)
const deepList = nested(100_000, (inner) => [inner])

/** Observed as well, since an observer gets a copy of everything. */
const observed = { inspect: () => {} }

describe('answers that are far too large', () => {
  test.each([
    ['text of ten million characters', { content: [{ type: 'text', text: long }] }],
    ['a hundred thousand levels of objects', { content: [], structuredContent: deep }],
    ['a hundred thousand levels of lists', { content: [], structuredContent: deepList }],
    ['JSON text of a hundred thousand levels', { content: [{ type: 'text', text: '['.repeat(100_000) }] }],
    ['a hundred thousand blocks', { content: Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'x' })) }],
  ])('a result holds %s: it is delivered', async (_, result) => {
    const outright = await startTask(result, observed)
    expect(outright.view()).toMatchObject({ phase: 'completed' })
    expect(outright.view().result?.raw).toBe(result)
    await expectGone(outright)
    const run = await startTask(handle(), observed)
    run.connection.push('notifications/tasks', snapshot('completed', { result }))
    expect(run.view().phase).toBe('completed')
    expect((await run.runner.result()).raw).toBe(result)
    await expectGone(run)
  })

  test.each([
    ['a long text', long],
    ['deep objects', deep],
    ['deep lists', deepList],
  ])('an error holds %s in its data: it is delivered', async (_, data) => {
    const run = await startTask(handle(), observed)
    await vi.advanceTimersByTimeAsync(1000)
    const error = { code: -32603, message: 'renderer lost', data }
    await run.connection.last('tasks/get').answer(snapshot('failed', { error }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { message: 'renderer lost' } })
    expect(run.view().error?.data).toBe(data)
    await expectGone(run)
    const refused = await startTask(handle(), observed)
    ignore(refused.runner.fire())
    await refused.connection.last('tools/call').fail(error)
    expect(refused.view()).toMatchObject({ phase: 'failed', error: { code: -32603 } })
    await expectGone(refused)
  })

  test('an error message of ten million characters is no trouble', async () => {
    const run = await startTask(handle(), observed)
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail({ code: -32601, message: `MCP error -32601: ${long}` })
    expect(run.view().error?.message.length).toBeLessThanOrEqual(long.length)
    await expectGone(run)
  })

  test.each([
    ['deep objects', { schema: deep }],
    ['deep lists', { schema: deepList }],
    ['a long text', { message: long }],
  ])('a prompt holds %s: it is shown, and each read says so again', async (_, params) => {
    const run = await startTask(handle(), observed)
    const inputRequests = { overwrite: { method: 'elicitation/create', params } }
    run.connection.on('tasks/get', () => snapshot('input_required', { inputRequests }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.view().inputRequests['overwrite']?.params).toBe(params)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.view().phase).toBe('input_required')
    await expectGone(run)
  })

  test('a hundred thousand prompts are shown, and can be answered', async () => {
    const run = await startTask(handle())
    const keys = Array.from({ length: 100_000 }, (_, nth) => `key-${nth}`)
    const inputRequests = Object.fromEntries(keys.map((key) => [key, elicitation()]))
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('input_required', { inputRequests }))
    expect(Object.keys(run.view().inputRequests)).toHaveLength(100_000)
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('input_required', { inputRequests }))
    const responded = run.runner.respond(Object.fromEntries(keys.map((key) => [key, { action: 'decline' }])))
    await run.connection.last('tasks/update').answer({})
    await responded
    expect(run.view().inputRequests).toEqual({})
    await expectGone(run)
  })

  test('a list of a hundred thousand prompts is no map of prompts', async () => {
    const run = await startTask(handle())
    const inputRequests = Array.from({ length: 100_000 }, () => elicitation())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(snapshot('input_required', { inputRequests }))
    expect(run.view()).toMatchObject({ inputRequests: {}, phase: 'working' })
    await expectGone(run)
  })

  test('an answer that holds itself is no trouble', async () => {
    const params: Record<string, unknown> = { message: 'again' }
    params['self'] = params
    const run = await startTask(handle(), observed)
    run.connection.on('tasks/get', () =>
      snapshot('input_required', { inputRequests: { overwrite: { method: 'elicitation/create', params } } }),
    )
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.view().phase).toBe('input_required')
    await expectGone(run)
  })
})
