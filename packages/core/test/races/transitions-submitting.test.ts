import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { plain, type JsonObject } from '../../src/index.ts'
import { accepted, completed, elicitation, handle, snapshot, toolResult } from '../support/fake-connection.ts'
import { createRun, fire, ignore, nextRead, stateOf, trouble, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const push = 'notifications/tasks'
const round = (inputRequests?: JsonObject) => ({ resultType: 'input_required', requestState: 'qq', inputRequests })
describe('idle', () => {
  test.each<[string, (run: Run) => unknown]>([
    ['cancel', ({ runner }) => runner.cancel()],
    ['respond', ({ runner }) => runner.respond({ style: {} })],
    ['refresh', ({ runner }) => runner.refresh()],
    ['detach', ({ runner }) => runner.detach()],
    ['reset', ({ runner }) => expect(runner.reset()).toBeNull()],
    ['leaving', ({ unwatch }) => unwatch()],
    ['a push', ({ connection }) => connection.push(push, completed())],
  ])('%s does nothing', async (_, act) => {
    const run = createRun()
    await act(run)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'idle', isIdle: true, canCancel: false, detachedBecause: null })
    expect(run.connection.wire).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each<[string, (run: Run) => Promise<unknown>]>([
    ['retry', ({ runner }) => runner.retry()],
    ['resume', ({ runner }) => runner.resume()],
  ])('%s rejects: there is nothing to go on with', async (_, act) => {
    const run = createRun()
    await expect(act(run)).rejects.toBeInstanceOf(Error)
    expect(run.connection.wire).toEqual([])
  })
})

describe('the call is out', () => {
  test.each<[string, JsonObject, object, string[]]>([
    ['a task that works', handle(), { phase: 'working' }, []],
    ['a task with an unknown word', handle({ status: 'warming_up' }), { phase: 'working' }, []],
    ['a task that waits for input: it is read at once', handle({ status: 'input_required' }), {}, ['tasks/get']],
    ['a finished task: its result is fetched', handle({ status: 'completed' }), { canCancel: false }, ['tasks/get']],
    ['a failed task: its error is fetched', handle({ status: 'failed' }), { phase: 'working' }, ['tasks/get']],
    ['a cancelled task', handle({ status: 'cancelled' }), { phase: 'cancelled', confirmed: true }, []],
    ['a result', toolResult(), { phase: 'completed', result: { data: '60 tiles' } }, []],
    [
      'an error of the tool',
      toolResult('no disk', { isError: true }),
      { phase: 'failed', error: { kind: 'tool' } },
      [],
    ],
    ['something else', { hello: 1 }, { phase: 'failed', error: { kind: 'malformed' } }, []],
    ['questions', round({ style: elicitation() }), { phase: 'input_required', canRespond: true }, []],
  ])('it is answered with %s', async (_, answer, shown, then) => {
    const run = createRun()
    await fire(run).answer(answer)
    expect(run.view()).toMatchObject({ cancelRequested: false, ...shown })
    expect(run.connection.wire).toEqual(['tools/call', ...then])
    expect(run.view().isTerminal && vi.getTimerCount() > 0).toBe(false)
  })

  test.each<[string, object, object]>([
    ['an error of the protocol', trouble.gone, { phase: 'failed', error: { kind: 'protocol', code: -32602 } }],
    ['an internal error', trouble.internal, { phase: 'failed', error: { kind: 'protocol', code: -32603 } }],
    ['no access', trouble.unauthorized, { phase: 'failed', error: { kind: 'unauthorized' } }],
    ['a call that never left', trouble.unsent, { phase: 'failed', error: { kind: 'not-sent', retryable: true } }],
  ])('it fails with %s, and is not made again', async (_, error, shown) => {
    const run = createRun()
    await fire(run).fail(error)
    expect(run.view()).toMatchObject({ ...shown, canRetry: true })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each<[string, (run: Run) => unknown]>([
    ['respond', ({ runner }) => ignore(runner.respond({ style: {} }))],
    ['refresh', ({ runner }) => ignore(runner.refresh())],
    ['detach', ({ runner }) => runner.detach()],
    ['leaving', ({ unwatch }) => unwatch()],
  ])('%s leaves the call alone', async (_, act) => {
    const run = createRun()
    const call = fire(run)
    act(run)
    await vi.advanceTimersByTimeAsync(1000)
    expect(call.options.signal?.aborted).toBe(false)
    expect(run.view()).toMatchObject({ phase: 'submitting', isWorking: true })
    await call.answer(toolResult())
    expect(run.view().phase).toBe('completed')
    expect(run.connection.wire).toEqual(['tools/call'])
  })

  test('detached while the call is out: the task is not read until it is resumed', async () => {
    const run = createRun()
    const call = fire(run)
    run.runner.detach()
    await call.answer(handle())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'working', detachedBecause: 'asked' })
    expect(run.connection.wire).toEqual(['tools/call'])
    ignore(run.runner.resume())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    expect(run.view().detachedBecause).toBeNull()
  })

  test('`maxWait` passes: the run is lost, and the call is left to finish', async () => {
    const run = createRun({ maxWait: 5000 })
    const call = fire(run)
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    expect(call.options.signal?.aborted).toBe(false)
    await call.answer(handle())
    expect(run.view().phase).toBe('working')
  })

  test('a plain call that is cancelled is aborted, and nobody knows whether the work has stopped', async () => {
    const run = createRun({ protocol: plain() })
    const call = fire(run)
    ignore(run.runner.cancel())
    expect(call.options.signal?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(0)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: false })
    const shown = run.view()
    await call.answer(toolResult())
    expect(run.view()).toBe(shown)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the call is out, and a cancel is wished', () => {
  test.each<[string, JsonObject, object, string[]]>([
    ['a finished task', handle({ status: 'completed' }), { canCancel: false }, ['tasks/get']],
    ['a failed task', handle({ status: 'failed' }), { canCancel: false }, ['tasks/get']],
    ['a cancelled task', handle({ status: 'cancelled' }), { phase: 'cancelled', confirmed: true }, []],
    ['questions: nothing runs', round({ a: elicitation() }), { phase: 'cancelled', confirmed: true }, []],
    ['a busy server: nothing runs', round(), { phase: 'cancelled', confirmed: true }, []],
  ])('it is answered with %s', async (_, answer, shown, then) => {
    const run = createRun()
    const call = fire(run)
    for (let n = 0; n < 2; n++) ignore(run.runner.cancel())
    await call.answer(answer)
    expect(run.view()).toMatchObject({ ...shown, cancelRequested: true })
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.wire).toEqual(['tools/call', ...then])
  })

  test.each<[string, object, object]>([
    ['it never left', trouble.unsent, { phase: 'cancelled', confirmed: true }],
    ['it was turned away', trouble.unauthorized, { phase: 'cancelled', confirmed: true }],
    ['the server does not know the method', trouble.unknownMethod, { phase: 'cancelled', confirmed: true }],
    ['an error that proves nothing', trouble.internal, { phase: 'failed', error: { kind: 'protocol' } }],
  ])('it fails because %s', async (_, error, shown) => {
    const run = createRun({ idempotent: true, retryPolicy: { maxAttempts: 3 } })
    const call = fire(run)
    ignore(run.runner.cancel())
    await call.fail(error)
    expect(run.view()).toMatchObject({ ...shown, cancelRequested: true })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call'])
  })
})

describe('the call itself asks', () => {
  test('the answers go out with a new call and the state of the server, and only once all are given', async () => {
    const run = createRun()
    await fire(run).answer(round({ style: elicitation(), size: elicitation() }))
    ignore(run.runner.respond({ style: { action: 'accept' } }))
    expect(run.connection.count('tools/call')).toBe(1)
    expect(Object.keys(run.view().inputRequests)).toEqual(['size'])
    ignore(run.runner.respond({ size: { action: 'decline' } }))
    expect(run.connection.last('tools/call').params).toEqual({
      name: 'tile_city',
      arguments: { city: 'Turku' },
      inputResponses: { style: { action: 'accept' }, size: { action: 'decline' } },
      requestState: 'qq',
    })
    await run.connection.last('tools/call').answer(handle())
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
  })

  test('respond resolves when the call with the answers is answered', async () => {
    const run = createRun()
    await fire(run).answer(round({ style: elicitation() }))
    const responded = run.runner.respond({ style: accepted })
    expect(await stateOf(responded)).toBe('pending')
    await run.connection.last('tools/call').answer(handle())
    expect(await stateOf(responded)).toBe('resolved')
  })

  test('the task then asks by the same key: that is another question, and the first answer is not sent to it', async () => {
    const run = createRun()
    await fire(run).answer(round({ style: elicitation() }))
    ignore(run.runner.respond({ style: accepted }))
    await run.connection.last('tools/call').answer(handle())
    const inputRequests = { style: elicitation('Which one?'), size: elicitation() }
    await (await nextRead(run)).answer(snapshot('input_required', { inputRequests }))
    expect(Object.keys(run.view().inputRequests)).toEqual(['style', 'size'])
    ignore(run.runner.respond({ size: accepted }))
    expect(run.connection.last('tasks/update').params).toMatchObject({ inputResponses: { size: accepted } })
    expect(run.connection.last('tasks/update').params['inputResponses']).not.toHaveProperty('style')
  })

  test('nothing is asked: the call is made again after a short wait', async () => {
    const run = createRun()
    await fire(run).answer(round())
    expect(run.view()).toMatchObject({ phase: 'submitting', canRespond: false })
    await vi.advanceTimersByTimeAsync(250)
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
    expect(run.connection.last('tools/call').params).toMatchObject({ requestState: 'qq' })
  })

  test.each([true, false])('cancelled while it asks (%s) or waits: nothing runs, and nothing is sent', async (asks) => {
    const run = createRun()
    await fire(run).answer(round(asks ? { style: elicitation() } : undefined))
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, inputRequests: {} })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
