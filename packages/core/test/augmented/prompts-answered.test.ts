import { createActor } from 'xstate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskMachine, plain, toTaskView } from '../../src/index.ts'
import {
  connectAugmented,
  createAugmentedRun,
  fireCall,
  flat,
  openKeys,
  payload,
  readSays,
  startAsking,
  startTask,
  wrapped,
} from '../support/augmented.ts'
import { accepted, elicitation, settle, toolResult, type FakeConnection } from '../support/fake-connection.ts'
import type { Answer } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a function answers', () => {
  test('each prompt once, with what the server asks, and its answer goes where it was asked', async () => {
    const onInputRequired = vi.fn<Answer>(() => Promise.resolve(accepted))
    const { run, fetch, asked } = await startAsking({ onInputRequired })
    expect(asked.told).toEqual({ answer: accepted })
    expect(onInputRequired.mock.calls).toMatchObject([[{ kind: 'elicitation', ...elicitation() }]])
    for (let n = 0; n < 3; n++) await readSays(run, 'input_required')
    const other = await run.connection.ask(elicitation('Which palette?'), 'tk-1')
    expect(other.told).toEqual({ answer: accepted })
    expect(onInputRequired).toHaveBeenCalledTimes(2)
    await fetch.answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(run.connection.count('tasks/result')).toBe(1)
  })

  test('what is asked while a plain call is open', async () => {
    const onInputRequired = vi.fn<Answer>(() => Promise.resolve(accepted))
    const run = createAugmentedRun({ protocol: plain(), onInputRequired })
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    expect(asked.told).toEqual({ answer: accepted })
    await call.answer(toolResult())
    expect(run.view().phase).toBe('completed')
    expect(onInputRequired).toHaveBeenCalledTimes(1)
  })

  test('and fails: its words are told, the prompt stays open, and a person can answer', async () => {
    const onInputRequired = () => Promise.reject(new Error('nobody at home'))
    const { run, asked } = await startAsking({ onInputRequired })
    expect(run.view()).toMatchObject({ phase: 'input_required', error: { kind: 'input-required' } })
    expect(run.view().error?.message).toBe('nobody at home')
    expect(asked.told).toBeUndefined()
    void run.runner.respond({ [openKeys(run)[0]!]: accepted })
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
  })

  test('too late, since the server has taken its request back: nothing is told', async () => {
    let answer: (given: typeof accepted) => void = () => {}
    const { run, asked } = await startAsking({ onInputRequired: () => new Promise((resolve) => (answer = resolve)) })
    await asked.withdraw()
    answer(accepted)
    await settle()
    expect(asked.told).toBeUndefined()
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
  })

  test('too late, since the run was cancelled: the server was told `cancel`, and nothing else', async () => {
    let answer: (given: typeof accepted) => void = () => {}
    const { run, asked } = await startAsking({ onInputRequired: () => new Promise((resolve) => (answer = resolve)) })
    void run.runner.cancel()
    await settle()
    answer(accepted)
    await settle()
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(run.connection.wire.at(-1)).toBe('tasks/cancel')
  })
})

describe("`onInputRequired: 'cancel'`", () => {
  test('cancels the task that asks, and tells the server `cancel`', async () => {
    const { run, asked } = await startAsking({ onInputRequired: 'cancel' })
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(run.connection.wire.at(-1)).toBe('tasks/cancel')
    await run.connection.last('tasks/cancel').answer(flat('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, error: { kind: 'input-required' } })
    expect(run.connection.count('tasks/cancel')).toBe(1)
  })

  test('aborts a plain call that asks, and tells the server `cancel`', async () => {
    const run = createAugmentedRun({ protocol: plain(), onInputRequired: 'cancel' })
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(call.options.signal?.aborted).toBe(true)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: false, error: { kind: 'input-required' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('keeps the wish for a call that asks before its handle', async () => {
    const run = createAugmentedRun({ onInputRequired: 'cancel' })
    const call = await fireCall(run)
    const asked = await run.connection.ask(elicitation())
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    await call.answer(wrapped())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    await run.connection.last('tasks/cancel').answer(flat('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', error: { kind: 'input-required' } })
  })
})

describe('a run with an open prompt survives its process', () => {
  const start = (connection: FakeConnection, snapshot?: unknown) => {
    const machine = createTaskMachine({ connection, tool: 'tile_city' })
    const actor = createActor(machine, snapshot ? { snapshot: snapshot as never } : {}).start()
    return { actor, connection, view: () => toTaskView(actor.getSnapshot()) }
  }

  /** What the process before left: a prompt of its own connection. */
  const saveAsking = async () => {
    const before = start(connectAugmented())
    before.actor.send({ type: 'fire', args: {} })
    await settle()
    await before.connection.last('tools/call').answer(wrapped())
    await vi.advanceTimersByTimeAsync(1000)
    await before.connection.last('tasks/get').answer(flat('input_required'))
    await before.connection.ask(elicitation(), 'tk-1')
    expect(before.view().phase).toBe('input_required')
    const saved = JSON.parse(JSON.stringify(before.actor.getPersistedSnapshot())) as unknown
    before.actor.stop()
    return { saved, oldKey: Object.keys(before.view().inputRequests)[0]! }
  }

  test('the result is fetched, and the prompt that the server asks then takes the place of the old one', async () => {
    const { saved, oldKey } = await saveAsking()
    await vi.advanceTimersByTimeAsync(60_000)
    const after = start(connectAugmented(), saved)
    expect(after.connection.count('tasks/result')).toBe(1)
    const asked = await after.connection.ask(elicitation(), 'tk-1')
    const keys = Object.keys(after.view().inputRequests)
    expect(keys).toHaveLength(1)
    expect(keys).not.toEqual([oldKey])
    after.actor.send({ type: 'respond', answers: { [keys[0]!]: accepted } })
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(after.connection.count('tools/call')).toBe(0)
  })

  test('an answer to the old prompt goes nowhere, since nobody waits for it, and the new one is not missed', async () => {
    const { saved, oldKey } = await saveAsking()
    const after = start(connectAugmented(), saved)
    after.actor.send({ type: 'respond', answers: { [oldKey]: accepted } })
    await settle()
    expect(after.view()).toMatchObject({ phase: 'working', inputRequests: {}, error: null })
    const asked = await after.connection.ask(elicitation(), 'tk-1')
    expect(after.view()).toMatchObject({ phase: 'input_required', canRespond: true })
    const [key] = Object.keys(after.view().inputRequests)
    after.actor.send({ type: 'respond', answers: { [key!]: accepted } })
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(after.connection.count('tasks/update')).toBe(0)
  })

  test('the server does not ask again: a read withdraws the prompt that nobody waits for', async () => {
    const { saved } = await saveAsking()
    const after = start(connectAugmented(), saved)
    await vi.advanceTimersByTimeAsync(2000)
    await after.connection.last('tasks/get').answer(flat('working'))
    expect(after.view()).toMatchObject({ phase: 'working', inputRequests: {} })
  })

  test('a later process remembers what was answered, and asks what is new', async () => {
    const { run } = await startAsking()
    void run.runner.respond({ [openKeys(run)[0]!]: accepted })
    await settle()
    const saved = JSON.parse(
      JSON.stringify((run.runner.actor as { getPersistedSnapshot(): unknown }).getPersistedSnapshot()),
    )
    run.runner.dispose()
    const after = start(connectAugmented(), saved)
    await after.connection.ask(elicitation(), 'tk-1')
    expect(after.view()).toMatchObject({ phase: 'input_required', canRespond: true })
  })
})

test('disposed with an open prompt: nothing is told, nothing is armed, and later requests are left to the app', async () => {
  const { run, asked } = await startAsking()
  run.runner.dispose()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked.told).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
  expect(run.connection.listeners).toBe(0)
  expect((await run.connection.ask(elicitation(), 'tk-1')).told).toBe('app')
})

test('a task of the run before does not ask in the next one', async () => {
  const { run } = await startAsking()
  await startTask(run, { taskId: 'tk-2' })
  expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
  expect((await run.connection.ask(elicitation('Which palette?'), 'tk-1')).told).toBe('app')
})
