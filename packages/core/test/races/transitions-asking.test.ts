import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { accepted, completed, elicitation, snapshot } from '../support/fake-connection.ts'
import {
  cancel,
  createRun,
  fireTask,
  ignore,
  nextRead,
  stateOf,
  trouble,
  type Answer,
  type Options,
  type Run,
} from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const push = 'notifications/tasks'
const asking = (inputRequests: JsonObject) => snapshot('input_required', { inputRequests })
const startAsking = async (options: Options = {}) => {
  const run = createRun(options)
  await fireTask(run)
  await (await nextRead(run)).answer(asking({ a: elicitation('a?'), b: elicitation('b?') }))
  return run
}
const open = (run: Run) => Object.keys(run.view().inputRequests)

describe('input required', () => {
  test('cancel: the prompts are gone, nothing is answered, and the task is cancelled', async () => {
    const run = await startAsking()
    await cancel(run).answer({})
    expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {}, canRespond: false })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/cancel'])
  })

  test('one of two answers: that one goes out, the other stays open', async () => {
    const run = await startAsking()
    const responded = run.runner.respond({ a: accepted, unknown: accepted })
    expect(open(run)).toEqual(['b'])
    expect(run.connection.last('tasks/update').params).toEqual({ taskId: 'tk-1', inputResponses: { a: accepted } })
    await run.connection.last('tasks/update').answer({})
    expect(await stateOf(responded)).toBe('resolved')
    expect(open(run)).toEqual(['b'])
  })

  test('answers given one after the other: each is sent once, one request at a time', async () => {
    const run = await startAsking()
    ignore(run.runner.respond({ a: accepted }))
    ignore(run.runner.respond({ b: accepted }))
    ignore(run.runner.respond({ b: { action: 'decline' } }))
    expect(run.connection.count('tasks/update')).toBe(1)
    await run.connection.last('tasks/update').answer({})
    expect(run.connection.last('tasks/update').params).toMatchObject({ inputResponses: { b: accepted } })
    await run.connection.last('tasks/update').answer({})
    expect(run.connection.count('tasks/update')).toBe(2)
    expect(run.view().phase).toBe('working')
  })

  test('the same prompts again tell nobody', async () => {
    const run = await startAsking()
    const told = run.views.length
    run.connection.push(push, asking({ a: elicitation('a?'), b: elicitation('b?') }))
    expect(run.views).toHaveLength(told)
  })

  test('a new prompt is opened beside the others', async () => {
    const run = await startAsking()
    run.connection.push(push, asking({ a: elicitation('a?'), b: elicitation('b?'), c: elicitation('c?') }))
    expect(open(run)).toEqual(['a', 'b', 'c'])
  })

  test('another question under an open key: the server has broken its own rule', async () => {
    const run = await startAsking()
    run.connection.push(push, asking({ a: elicitation('something else?') }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' }, inputRequests: {} })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('another question under an answered key: nobody is asked, and the run goes on', async () => {
    const run = await startAsking()
    ignore(run.runner.respond({ a: accepted, b: accepted }))
    await run.connection.last('tasks/update').answer({})
    run.connection.push(push, asking({ a: elicitation('something else?') }))
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
  })

  test('an answer meets a busy server: the same goes out again, and nobody is asked again', async () => {
    const run = await startAsking()
    const responded = run.runner.respond({ a: accepted })
    await run.connection.last('tasks/update').fail(trouble.busy)
    expect(open(run)).toEqual(['b'])
    await vi.advanceTimersByTimeAsync(250)
    const updates = run.connection.sent.filter(({ method }) => method === 'tasks/update')
    expect(updates).toHaveLength(2)
    expect(updates[1]!.params).toEqual(updates[0]!.params)
    await updates[1]!.answer({})
    expect(await stateOf(responded)).toBe('resolved')
    expect(run.view().error).toBeNull()
  })

  test('an answer cannot be delivered: that is reported, and its prompt is open again', async () => {
    const run = await startAsking()
    run.connection.on('tasks/update', () => Promise.reject(trouble.busy))
    const responded = run.runner.respond({ a: accepted })
    await vi.advanceTimersByTimeAsync(900)
    expect(run.connection.count('tasks/update')).toBe(3)
    expect(await stateOf(responded)).toBe('resolved')
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true, error: { kind: 'unreachable' } })
    expect(open(run).toSorted()).toEqual(['a', 'b'])
  })

  test('an answer is refused because the task is gone: one read decides', async () => {
    const run = await startAsking()
    ignore(run.runner.respond({ a: accepted }))
    await run.connection.last('tasks/update').fail(trouble.gone)
    expect(run.connection.wire.slice(-2)).toEqual(['tasks/update', 'tasks/get'])
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired', inputRequests: {} })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('`onInputRequired` answers each prompt once', async () => {
    const onInputRequired = vi.fn<Answer>(() => Promise.resolve(accepted))
    const run = await startAsking({ onInputRequired })
    await vi.advanceTimersByTimeAsync(0)
    await run.connection.last('tasks/update').answer({})
    run.connection.on('tasks/update', () => ({}))
    run.connection.push(push, asking({ a: elicitation('a?'), b: elicitation('b?') }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(onInputRequired).toHaveBeenCalledTimes(2)
    expect(run.connection.count('tasks/update')).toBeLessThanOrEqual(2)
  })

  test('`onInputRequired: "cancel"` cancels the run, and says why', async () => {
    const run = createRun({ onInputRequired: 'cancel' })
    await fireTask(run)
    await (await nextRead(run)).answer(asking({ a: elicitation() }))
    await run.connection.last('tasks/cancel').answer({})
    await (await nextRead(run)).answer(snapshot('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', error: { kind: 'input-required' } })
    expect(run.connection.count('tasks/update')).toBe(0)
  })
})

describe('cancelling', () => {
  const begin = async (options: Options = {}) => {
    const run = createRun(options)
    await fireTask(run)
    return { run, request: cancel(run) }
  }

  test('cancel again: one wish, one request', async () => {
    const { run, request } = await begin()
    ignore(run.runner.cancel())
    await request.answer({})
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(900)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
  })

  test('the server cannot cancel: that is said, the task is watched, and the button is gone', async () => {
    const { run, request } = await begin()
    await request.fail(trouble.unknownMethod)
    const unsupported = { phase: 'working', cancelRequested: false, canCancel: false, error: { kind: 'unsupported' } }
    expect(run.view()).toMatchObject(unsupported)
    await run.runner.cancel()
    expect(run.view()).toMatchObject(unsupported)
    expect(run.connection.count('tasks/cancel')).toBe(1)
    await (await nextRead(run)).answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: false })
  })

  test.each<[string, JsonObject, object]>([
    ['it has completed', completed(), { phase: 'completed', cancelRequested: true, error: null }],
    ['it was cancelled', snapshot('cancelled'), { phase: 'cancelled', confirmed: true }],
    ['it works on', snapshot(), { phase: 'working', cancelRequested: false, error: { code: -32602 } }],
  ])('the server refuses to cancel: one read says that %s', async (_, answer, shown) => {
    const { run, request } = await begin()
    await request.fail(trouble.gone)
    expect(run.view().phase).toBe('cancelling')
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel', 'tasks/get'])
    await run.connection.last('tasks/get').answer(answer)
    expect(run.view()).toMatchObject(shown)
    expect(run.connection.count('tasks/get')).toBe(1)
  })

  test('the server refuses to cancel, and the task is gone: expired, since no cancel of ours can have landed', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(snapshot())
    await cancel(run).fail(trouble.gone)
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
  })

  test('the server refuses to cancel, and the read fails in passing: the wish is kept until a read tells', async () => {
    const { run, request } = await begin()
    await request.fail(trouble.gone)
    await run.connection.last('tasks/get').fail(trouble.busy)
    expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true })
    await (await nextRead(run)).answer(snapshot('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  })

  test('`cancelGrace` passes: the view is stale, and still cancelling', async () => {
    const { run, request } = await begin({ cancelGrace: 500 })
    await request.answer({})
    expect(run.view().isStale).toBe(false)
    await vi.advanceTimersByTimeAsync(500)
    expect(run.view()).toMatchObject({ phase: 'cancelling', isStale: true, error: null })
    await (await nextRead(run)).answer(snapshot('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', isStale: false })
  })

  test('the lifetime passes, and the task is gone: cancelled, unconfirmed', async () => {
    const run = createRun()
    await fireTask(run, { ttlMs: 2500 })
    await cancel(run).answer({})
    run.connection.on('tasks/get', () => snapshot('working', { ttlMs: 2500 }))
    await vi.advanceTimersByTimeAsync(2499)
    run.connection.on('tasks/get', () => Promise.reject(trouble.gone))
    await vi.advanceTimersByTimeAsync(1)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: false })
    expect(vi.getTimerCount()).toBe(0)
  })
})
