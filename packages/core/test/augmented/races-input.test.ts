import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createAugmentedRun,
  flat,
  openKeys,
  openMessages,
  payload,
  readSays,
  startAsking,
  startTask,
  statusPush,
} from '../support/augmented.ts'
import { accepted, elicitation, settle } from '../support/fake-connection.ts'
import { ignore, stateOf } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('race 32: the status lags after the answer: the prompt is not shown again, and nothing is sent for it', async () => {
  const { run, asked } = await startAsking()
  const [key] = openKeys(run)
  const responded = run.runner.respond({ [key!]: accepted })
  expect(await stateOf(responded)).toBe('resolved')
  expect(asked.told).toEqual({ answer: accepted })
  expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, error: null })
  const told = run.views.length
  await readSays(run, 'input_required')
  await readSays(run, 'input_required')
  expect(run.view()).toMatchObject({ phase: 'working', canRespond: false, error: null })
  expect(run.views).toHaveLength(told)
  ignore(run.runner.respond({ [key!]: { action: 'decline' } }))
  await settle()
  expect(asked.told).toEqual({ answer: accepted })
  expect(run.connection.count('tasks/update')).toBe(0)
})

test('race 32: a new prompt beside an answered one is shown alone', async () => {
  const { run } = await startAsking()
  ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
  await run.connection.ask(elicitation('Which palette?'), 'tk-1')
  expect(run.view().phase).toBe('input_required')
  expect(openMessages(run)).toEqual(['Which palette?'])
})

test('race 33: answered elsewhere, so that the server takes its request back: the prompt is gone, and a late answer goes nowhere', async () => {
  const { run, asked } = await startAsking()
  const [key] = openKeys(run)
  await asked.withdraw()
  expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, canRespond: false })
  ignore(run.runner.respond({ [key!]: accepted }))
  await settle()
  expect(asked.told).toBeUndefined()
  expect(run.view()).toMatchObject({ phase: 'working', error: null })
  expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
})

test('race 33: the status alone withdraws nothing: nobody else can answer that request', async () => {
  const { run, asked } = await startAsking()
  await readSays(run, 'working')
  expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true })
  ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
  await settle()
  expect(asked.told).toEqual({ answer: accepted })
  expect(run.view().phase).toBe('working')
})

test('race 34: the task completes right after the answer: its result is shown, and the answer stays given', async () => {
  const { run, fetch, asked } = await startAsking()
  const responded = run.runner.respond({ [openKeys(run)[0]!]: accepted })
  run.connection.push(statusPush, flat('completed'))
  await fetch.answer(payload())
  expect(await stateOf(responded)).toBe('resolved')
  expect(asked.told).toEqual({ answer: accepted })
  expect(run.view()).toMatchObject({ phase: 'completed', error: null, inputRequests: {} })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
  expect(vi.getTimerCount()).toBe(0)
})

test('race 34: the task completes before anybody answers: the prompt is gone, and the server is not left waiting', async () => {
  const { run, fetch, asked } = await startAsking()
  const [key] = openKeys(run)
  run.connection.push(statusPush, flat('completed'))
  await settle()
  expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, canRespond: false })
  expect(asked.told).toEqual({ answer: { action: 'cancel' } })
  ignore(run.runner.respond({ [key!]: accepted }))
  await fetch.answer(payload())
  expect(asked.told).toEqual({ answer: { action: 'cancel' } })
  expect(run.view()).toMatchObject({ phase: 'completed', error: null })
})

test('race 35: the task asks and is answered elsewhere between two reads: nothing is shown', async () => {
  const run = createAugmentedRun()
  await startTask(run)
  await readSays(run, 'working')
  await readSays(run, 'completed')
  await run.connection.last('tasks/result').answer(payload())
  expect(run.phases()).toEqual(['submitting', 'working', 'completed'])
  expect(run.connection.count('tasks/result')).toBe(1)
})

test('race 35: a push says that it waits and the next that it works, with no prompt between: nothing is asked', async () => {
  const run = createAugmentedRun()
  await startTask(run)
  run.connection.push(statusPush, flat('input_required'))
  run.connection.push(statusPush, flat('working'))
  await settle()
  await readSays(run, 'completed')
  await run.connection.last('tasks/result').answer(payload())
  expect(run.phases()).toEqual(['submitting', 'working', 'completed'])
  expect(run.connection.count('tasks/result')).toBe(1)
})
