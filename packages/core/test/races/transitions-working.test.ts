import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { accepted, completed, elicitation, snapshot, toolResult } from '../support/fake-connection.ts'
import {
  cancel,
  createRun,
  fireTask,
  ignore,
  nextRead,
  stateOf,
  trouble,
  type Options,
  type Run,
} from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const push = 'notifications/tasks'
const asking = (over: JsonObject = {}) => snapshot('input_required', { inputRequests: { a: elicitation() }, ...over })
const begin = async (phase: 'working' | 'input_required' | 'cancelling' | 'settling', options: Options = {}) => {
  const run = createRun(options)
  await fireTask(run, phase === 'settling' ? { status: 'completed' } : {})
  if (phase === 'input_required') await (await nextRead(run)).answer(asking())
  if (phase === 'cancelling') await cancel(run).answer({})
  expect(run.view().phase).toBe(phase === 'settling' ? 'working' : phase)
  return run
}

describe.each(['working', 'input_required', 'cancelling'] as const)('%s, and a read says', (phase) => {
  test.each<[string, JsonObject, object]>([
    ['completed', completed(), { phase: 'completed', result: { data: '60 tiles' } }],
    [
      'completed, by a tool that failed',
      snapshot('completed', { result: toolResult('no disk', { isError: true }) }),
      { phase: 'failed', error: { kind: 'tool', message: 'no disk' } },
    ],
    [
      'completed, with what is no result',
      snapshot('completed', { result: 7 }),
      { phase: 'failed', error: { kind: 'malformed' } },
    ],
    [
      'failed',
      snapshot('failed', { error: trouble.internal }),
      { phase: 'failed', error: { kind: 'protocol', code: -32603, message: 'renderer lost' } },
    ],
    ['cancelled', snapshot('cancelled'), { phase: 'cancelled', confirmed: true }],
    ['task_expired', snapshot('failed', { code: 'task_expired' }), { phase: 'expired', error: { kind: 'expired' } }],
  ])('%s: it has ended, with no prompt and no timer left', async (_, answer, shown) => {
    const run = await begin(phase)
    await (await nextRead(run)).answer(answer)
    expect(run.view()).toMatchObject({
      ...shown,
      inputRequests: {},
      canCancel: false,
      cancelRequested: phase === 'cancelling',
    })
    const { wire } = run.connection
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(wire)
    expect(run.settled).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('working: prompts are withdrawn, a cancel is still wished', async () => {
    const run = await begin(phase)
    await (await nextRead(run)).answer(snapshot('working', { statusMessage: '3 of 9' }))
    const expected = phase === 'cancelling' ? 'cancelling' : 'working'
    expect(run.view()).toMatchObject({ phase: expected, inputRequests: {}, progress: { message: '3 of 9' } })
  })

  test('an unknown word: it counts as working, and the word is shown', async () => {
    const run = await begin(phase)
    await (await nextRead(run)).answer(snapshot('thawing'))
    expect(run.view().phase).toBe(phase === 'cancelling' ? 'cancelling' : 'working')
    expect(run.view().task).toMatchObject({ status: 'working', rawStatus: 'thawing' })
  })

  test('completed without a result: it is fetched once, and its absence is malformed', async () => {
    const run = await begin(phase)
    await (await nextRead(run)).answer(snapshot('completed'))
    const reads = run.connection.count('tasks/get')
    expect(run.view()).toMatchObject({ isTerminal: false, canCancel: false, inputRequests: {} })
    await run.connection.last('tasks/get').answer(snapshot('completed'))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    expect(run.connection.count('tasks/get')).toBe(reads)
  })

  test('nothing, in passing: the phase stays, stale until the next read, and no sooner than the server wants', async () => {
    const run = await begin(phase)
    await (await nextRead(run)).fail({ ...trouble.busy, retryAfter: 7000 })
    expect(run.view()).toMatchObject({ phase, isStale: true, canRespond: phase === 'input_required', error: null })
    const reads = run.connection.count('tasks/get')
    await vi.advanceTimersByTimeAsync(6999)
    expect(run.connection.count('tasks/get')).toBe(reads)
    await vi.advanceTimersByTimeAsync(1)
    await run.connection.last('tasks/get').answer(phase === 'input_required' ? asking() : snapshot())
    expect(run.view()).toMatchObject({ phase, isStale: false })
  })

  test.each<[string, object, number, object]>([
    ['no access', trouble.unauthorized, 1, { phase: 'detached', detachedBecause: 'unauthorized' }],
    ['nothing, three times', trouble.busy, 3, { phase: 'detached', detachedBecause: 'unreachable' }],
    ['an unknown method', trouble.unknownMethod, 1, { phase: 'failed', error: { kind: 'protocol' } }],
  ])('%s: reading is given up', async (_, error, times, shown) => {
    const run = await begin(phase)
    const reads = run.connection.count('tasks/get')
    run.connection.on('tasks/get', () => Promise.reject(error))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.count('tasks/get')).toBe(reads + times)
    expect(run.view()).toMatchObject({ ...shown, cancelRequested: phase === 'cancelling', inputRequests: {} })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('nonsense, three times in a row: it is malformed', async () => {
    const run = await begin(phase)
    run.connection.on('tasks/get', () => snapshot('working', { taskId: 'of somebody else' }))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
  })

  test('that the task is gone: expired, or cancelled if that was asked for', async () => {
    const run = await begin(phase)
    await (await nextRead(run)).answer(snapshot('working', { statusMessage: 'so it is known' }))
    await (await nextRead(run)).fail(trouble.gone)
    expect(run.view()).toMatchObject(
      phase === 'cancelling' ? { phase: 'cancelled', confirmed: false } : { phase: 'expired', inputRequests: {} },
    )
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe.each(['working', 'input_required', 'cancelling', 'settling'] as const)('%s', (phase) => {
  test('detach: it rests with its phase, and resume goes on', async () => {
    const run = await begin(phase)
    run.runner.detach()
    const shown = phase === 'settling' ? 'working' : phase
    expect(run.view()).toMatchObject({ phase: shown, detachedBecause: 'asked', isStale: true, isWorking: true })
    const { wire } = run.connection
    await vi.advanceTimersByTimeAsync(20_000)
    expect(run.connection.wire).toEqual(wire)
    ignore(run.runner.resume())
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', detachedBecause: null })
  })

  test('reset: idle, the reference is given back, and the task is left alone', async () => {
    const run = await begin(phase)
    expect(run.runner.reset()).toMatchObject({ taskId: 'tk-1', cancelRequested: phase === 'cancelling' })
    const { wire } = run.connection
    run.connection.push(push, completed())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'idle', task: null, error: null })
    expect(run.connection.wire).toEqual(wire)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('resume with the reference of the same task: the run goes on, and nobody is let go', async () => {
    const run = await begin(phase)
    const result = run.runner.result()
    ignore(result)
    ignore(run.runner.resume(run.runner.reference!))
    expect(await stateOf(result)).toBe('pending')
    expect(run.orphans).toEqual([])
    await run.connection.last('tasks/get').answer(completed())
    expect(await stateOf(result)).toBe('resolved')
    expect(run.connection.count('tools/call')).toBe(1)
  })

  test('`maxWait` passes: detached with a wish kept, and nothing is cancelled; settling is not hurried', async () => {
    const run = await begin(phase, { maxWait: 3500 })
    const cancels = run.connection.count('tasks/cancel')
    if (phase !== 'settling') run.connection.on('tasks/get', () => (phase === 'input_required' ? asking() : snapshot()))
    await vi.advanceTimersByTimeAsync(3500)
    expect(run.view()).toMatchObject(
      phase === 'settling' ? { phase: 'working' } : { phase: 'detached', detachedBecause: 'timeout' },
    )
    expect(run.view().cancelRequested).toBe(phase === 'cancelling')
    expect(run.connection.count('tasks/cancel')).toBe(cancels)
  })
})

test.each<[string, (run: Run) => unknown]>([
  ['respond', ({ runner }) => ignore(runner.respond({ a: accepted }))],
  ['a push of the same', ({ connection }) => connection.push(push, snapshot())],
])('working: %s does nothing', async (_, act) => {
  const run = await begin('working')
  const shown = run.view()
  act(run)
  expect(run.view()).toBe(shown)
  expect(run.connection.wire).toEqual(['tools/call'])
})
