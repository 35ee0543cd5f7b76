import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createAugmentedRun,
  fireCall,
  flat,
  payload,
  readSays,
  startTask,
  statusPush,
  wrapped,
} from '../support/augmented.ts'
import { handle, settle } from '../support/fake-connection.ts'
import { createRun, fire, ignore, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Says it by the token of the call. */
const tell = (run: Run, progress: number, over = {}) =>
  run.connection.last('tools/call').options.onProgress?.({ progressToken: 'pt-2', progress, ...over })

describe('progress of a task of 2025-11-25', () => {
  test('numbers and messages of all sources are merged: the newest of each', async () => {
    const run = createAugmentedRun()
    await fireCall(run)
    tell(run, 1, { total: 60, message: 'queued' })
    expect(run.view().progress).toEqual({ value: 1, total: 60, percent: (1 / 60) * 100, message: 'queued' })
    await run.connection.last('tools/call').answer(wrapped({ statusMessage: 'begun' }))
    expect(run.view().progress).toMatchObject({ value: 1, total: 60, message: 'begun' })
    tell(run, 30, { total: 60 })
    expect(run.view().progress).toEqual({ value: 30, total: 60, percent: 50, message: 'begun' })
    await readSays(run, 'working', { statusMessage: '31 of 60' })
    expect(run.view().progress).toEqual({ value: 30, total: 60, percent: 50, message: '31 of 60' })
    run.connection.push(statusPush, flat('working', { statusMessage: '40 of 60' }))
    tell(run, 45, { total: 60, message: 'z14' })
    expect(run.view().progress).toEqual({ value: 45, total: 60, percent: 75, message: 'z14' })
    await readSays(run, 'working')
    expect(run.view().progress).toMatchObject({ value: 45, message: 'z14' })
  })

  test('values that do not rise are dropped, with whatever they say', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    tell(run, 5.5, { message: 'half' })
    const told = run.views.length
    for (const value of [5.5, 3, -1, NaN, Infinity, '9', null]) tell(run, value as number, { message: 'no' })
    expect(run.views).toHaveLength(told)
    expect(run.view().progress).toEqual({ value: 5.5, total: null, percent: null, message: 'half' })
    tell(run, 6)
    expect(run.view().progress?.value).toBe(6)
  })

  test('goes on while the server waits for input, and while it is being cancelled', async () => {
    const run = createAugmentedRun()
    await startTask(run, { status: 'input_required' })
    tell(run, 2)
    expect(run.view().progress?.value).toBe(2)
    ignore(run.runner.cancel())
    tell(run, 3)
    expect(run.view()).toMatchObject({ phase: 'cancelling', progress: { value: 3 } })
  })

  test.each(['completed', 'cancelled'])('after the end (%s) it is dropped', async (status) => {
    const run = createAugmentedRun()
    await startTask(run)
    tell(run, 5)
    await readSays(run, status)
    if (status === 'completed') await run.connection.last('tasks/result').answer(payload())
    const shown = run.view()
    expect(shown.isTerminal).toBe(true)
    tell(run, 60, { total: 60 })
    await settle()
    expect(run.view()).toBe(shown)
  })

  test('of the run before is dropped', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    const { onProgress } = run.connection.last('tools/call').options
    await startTask(run, { taskId: 'tk-2' })
    onProgress?.({ progress: 50, total: 60 })
    expect(run.view().progress).toBeNull()
  })

  test('each one gives a call that has not been answered its time anew', async () => {
    const run = createAugmentedRun({ submitTimeout: 5000 })
    await fireCall(run)
    for (let n = 1; n < 5; n++) {
      await vi.advanceTimersByTimeAsync(4000)
      tell(run, n)
    }
    expect(run.view().phase).toBe('submitting')
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', progress: { value: 4 } })
  })
})

test('at a handle of 2026-07-28 the numbers end, and messages go on', async () => {
  const run = createRun()
  const call = fire(run)
  await settle()
  tell(run, 1, { total: 60, message: 'queued' })
  await call.answer(handle({ statusMessage: 'begun' }))
  expect(run.view().progress).toEqual({ value: null, total: null, percent: null, message: 'begun' })
})

describe('text for the model while the work runs', () => {
  const key = 'io.modelcontextprotocol/model-immediate-response'

  test('comes with the handle, and stays to the end', async () => {
    const run = createAugmentedRun()
    await (await fireCall(run)).answer(wrapped({}, { _meta: { [key]: 'Rendering has begun.' } }))
    expect(run.view()).toMatchObject({ phase: 'working', interim: 'Rendering has begun.' })
    await readSays(run, 'working')
    await readSays(run, 'completed')
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', interim: 'Rendering has begun.' })
    ignore(run.runner.fire({}))
    expect(run.view().interim).toBeNull()
  })

  test.each([7, null, { text: 'Rendering' }, undefined])('is %j: there is none', async (text) => {
    const run = createAugmentedRun()
    await (await fireCall(run)).answer(wrapped({}, { _meta: { [key]: text } }))
    expect(run.view()).toMatchObject({ phase: 'working', interim: null })
  })
})
