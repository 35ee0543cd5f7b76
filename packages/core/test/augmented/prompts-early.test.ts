import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { plain } from '../../src/index.ts'
import { createAugmentedRun, fireCall, flat, openKeys, startTask, wrapped } from '../support/augmented.ts'
import { accepted, elicitation, settle, toolResult } from '../support/fake-connection.ts'
import { createRun, ignore, stateOf } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe.each([
  ['plain', plain()],
  ['augmented', 'auto'],
] as const)('the server asks while the call is open (%s)', (_, protocol) => {
  test('and names no task: it is shown, answered where it was asked, and the call goes on', async () => {
    const run = createAugmentedRun({ protocol })
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    expect(run.view()).toMatchObject({ phase: 'input_required', task: null, canRespond: true, canCancel: true })
    const responded = run.runner.respond({ [openKeys(run)[0]!]: accepted })
    expect(await stateOf(responded)).toBe('resolved')
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.view()).toMatchObject({ phase: 'submitting', inputRequests: {} })
    await call.answer(toolResult())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('two questions: each has its answer, and one can be taken back', async () => {
    const run = createAugmentedRun({ protocol })
    await fireCall(run)
    const [first, second, third] = [
      await run.connection.ask(elicitation('One?')),
      await run.connection.ask(elicitation('Two?')),
      await run.connection.ask(elicitation('Three?')),
    ]
    await second.withdraw()
    const keys = openKeys(run)
    expect(keys).toHaveLength(2)
    ignore(run.runner.respond({ [keys[1]!]: { action: 'decline' } }))
    await settle()
    expect(openKeys(run)).toEqual([keys[0]])
    expect([first.told, second.told, third.told]).toEqual([undefined, undefined, { answer: { action: 'decline' } }])
  })

  test('people may take longer than `submitTimeout`; after the answer the server has that time anew', async () => {
    const run = createAugmentedRun({ protocol, submitTimeout: 5000 })
    const call = await fireCall(run)
    await vi.advanceTimersByTimeAsync(4999)
    await run.connection.ask(elicitation())
    await vi.advanceTimersByTimeAsync(3_600_000)
    call.options.onProgress?.({ progress: 1 })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.view()).toMatchObject({ phase: 'input_required', error: null })
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    await vi.advanceTimersByTimeAsync(4999)
    expect(run.view().phase).toBe('submitting')
    await vi.advanceTimersByTimeAsync(1)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    expect(run.connection.count('tools/call')).toBe(1)
  })

  test('and two calls are open: it is left to the app', async () => {
    const run = createAugmentedRun({ protocol })
    const other = createRun({ protocol }, run.connection)
    await fireCall(run)
    await fireCall(other)
    expect((await run.connection.ask(elicitation())).told).toBe('app')
    expect([run.view().phase, other.view().phase]).toEqual(['submitting', 'submitting'])
  })

  test('and another run follows a task: it is left to the app', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await fireCall(createRun({ protocol }, run.connection))
    expect((await run.connection.ask(elicitation())).told).toBe('app')
  })

  test('cancelled: the server is told `cancel`, also for what it asks later', async () => {
    const run = createAugmentedRun({ protocol })
    await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    ignore(run.runner.cancel())
    await settle()
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(run.view()).toMatchObject({ inputRequests: {}, canRespond: false, cancelRequested: true })
    if (protocol === 'auto')
      expect((await run.connection.ask(elicitation('Sure?'))).told).toEqual({ answer: { action: 'cancel' } })
  })
})

describe('the server asks before the handle has come', () => {
  test('and names the task to be: nothing is shown until the handle tells whose it is', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation(), 'tk-1')
    expect(run.view()).toMatchObject({ phase: 'submitting', inputRequests: {} })
    await call.answer(wrapped({ status: 'input_required' }))
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(flat('input_required'))
    expect(run.view().phase).toBe('input_required')
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.connection.count('tasks/result')).toBe(1)
  })

  test('and names one of two: each run shows its own', async () => {
    const first = createAugmentedRun()
    const second = createRun({}, first.connection)
    const [one, two] = [await fireCall(first), await fireCall(second)]
    await first.connection.ask(elicitation('Of the first?'), 'tk-1')
    await first.connection.ask(elicitation('Of the second?'), 'tk-2')
    await two.answer(wrapped({ taskId: 'tk-2' }))
    await one.answer(wrapped({ taskId: 'tk-1' }))
    await vi.advanceTimersByTimeAsync(1000)
    for (const read of first.connection.sent.filter(({ method }) => method === 'tasks/get'))
      await read.answer(flat('working', { taskId: read.params['taskId'] }))
    const asks = [first, second].map(({ view }) => Object.values(view().inputRequests).map(({ params }) => params))
    expect(asks).toMatchObject([[{ message: 'Of the first?' }], [{ message: 'Of the second?' }]])
  })

  test('and names a stranger: it is left to the app once no call is open any more', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation(), 'tk-9')
    expect(asked.told).toBeUndefined()
    await call.answer(wrapped())
    expect(asked.told).toBe('app')
    expect(openKeys(run)).toEqual([])
  })

  test('and names many strangers: no more than 32 are held', async () => {
    const run = createAugmentedRun()
    await fireCall(run)
    const asked = []
    for (let n = 0; n < 40; n++) asked.push(await run.connection.ask(elicitation(), `other-${n}`))
    expect(asked.filter(({ told }) => told === 'app')).toHaveLength(8)
    run.runner.dispose()
    await settle()
    expect(asked.every(({ told }) => told === 'app')).toBe(true)
  })

  test('and was answered then: the handle does not ask again', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    await call.answer(wrapped())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(flat())
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
    expect(asked.told).toEqual({ answer: accepted })
  })

  test('and the run is cancelled before the handle: the server is told `cancel` when it comes', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation(), 'tk-1')
    ignore(run.runner.cancel())
    await call.answer(wrapped())
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
  })
})
