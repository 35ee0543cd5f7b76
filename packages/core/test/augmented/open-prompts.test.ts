import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { plain } from '../../src/index.ts'
import { createAugmentedRun, fireCall, flat, openKeys, startAsking, wrapped } from '../support/augmented.ts'
import { accepted, elicitation, settle, toolResult } from '../support/fake-connection.ts'
import { cancel, ignore, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a prompt outlives the answer to the call', () => {
  test.each([
    ['named no task', 'working', null],
    ['named no task', 'input_required', null],
    ['named the task to be', 'working', 'tk-1'],
    ['named the task to be', 'input_required', 'tk-1'],
  ])('that %s, and the handle says %s: it is shown', async (_, status, taskId) => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation(), taskId)
    await call.answer(wrapped({ status }))
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true })
    if (taskId === null) expect(run.phases()).not.toContain('working')
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
  })

  test.each([null, 'tk-1'])('and the server takes it back after that (related task %j): it is gone', async (taskId) => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation(), taskId)
    await call.answer(wrapped())
    expect(openKeys(run)).toHaveLength(1)
    await asked.withdraw()
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
  })
})

describe('nobody will answer a prompt any more: the server is told so', () => {
  test.each(['completed', 'failed'])('the handle says that the task has %s', async (status) => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    await call.answer(wrapped({ status }))
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, canRespond: false })
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
  })

  test.each([
    ['answered', toolResult(), 'completed'],
    ['answered by a failure', toolResult('disk full', { isError: true }), 'failed'],
  ])('the plain call has been %s', async (_, answer, phase) => {
    const run = createAugmentedRun({ protocol: plain() })
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    await call.answer(answer)
    expect(run.view().phase).toBe(phase)
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
  })

  test.each(['rests', 'is detached'])('the run %s for a while, and then it is cancelled', async (how) => {
    const { run, asked } = await startAsking({ maxPollFailures: 1 })
    if (how === 'rests') run.runner.detach()
    else {
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').fail(trouble.busy)
    }
    await vi.advanceTimersByTimeAsync(60_000)
    ignore(run.runner.cancel())
    await settle()
    expect(run.connection.wire.at(-1)).toBe('tasks/cancel')
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
  })
})

describe('a cancel comes to nothing', () => {
  test.each([
    ['refused', { code: -32602, message: 'Not now' }],
    ['unsupported', { reason: 'unsupported', message: 'No cancel here' }],
  ])('since it is %s, and then the server asks: the prompt is shown', async (_, failure) => {
    const { run } = await startAsking()
    await cancel(run).fail(failure)
    if (run.connection.count('tasks/get') > 1) await run.connection.last('tasks/get').answer(flat())
    expect(run.view()).toMatchObject({ phase: 'working', cancelRequested: false })
    const asked = await run.connection.ask(elicitation('Which palette?'), 'tk-1')
    expect(asked.told).toBeUndefined()
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true })
  })
})

test('the same question was asked twice, and the first request is taken back: the second one still waits', async () => {
  const { run, asked } = await startAsking()
  const again = await run.connection.ask(elicitation(), 'tk-1')
  await asked.withdraw()
  expect(openKeys(run)).toHaveLength(1)
  ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
  await settle()
  expect([asked.told, again.told]).toEqual([undefined, { answer: accepted }])
})

test('the same question was asked twice, and both requests are taken back: it is gone', async () => {
  const { run, asked } = await startAsking()
  const again = await run.connection.ask(elicitation(), 'tk-1')
  await again.withdraw()
  expect(openKeys(run)).toHaveLength(1)
  await asked.withdraw()
  expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
})

test('reset, and resumed a minute later: the prompt is there, since the server asks only once', async () => {
  const { run, asked } = await startAsking()
  const reference = run.runner.reset()!
  await vi.advanceTimersByTimeAsync(60_000)
  ignore(run.runner.resume(reference))
  await run.connection.last('tasks/get').answer(flat('input_required'))
  ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
  await settle()
  expect(asked.told).toEqual({ answer: accepted })
})
