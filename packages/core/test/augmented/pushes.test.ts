import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  connectAugmented,
  createAugmentedRun,
  fireCall,
  flat,
  payload,
  readSays,
  startTask,
  statusPush,
  wrapped,
} from '../support/augmented.ts'
import { settle } from '../support/fake-connection.ts'
import { recordListens } from '../support/record-listens.ts'
import { createRun, nextRead } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('notifications/tasks/status', () => {
  test('none ever comes: reads find the end', async () => {
    const run = createAugmentedRun()
    await startTask(run, { pollInterval: undefined })
    await vi.advanceTimersByTimeAsync(1999)
    expect(run.connection.wire).toEqual(['tools/call'])
    await vi.advanceTimersByTimeAsync(1)
    await run.connection.last('tasks/get').answer(flat('completed'))
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view().phase).toBe('completed')
  })

  test('the end is pushed: the wait is over at once, and the result is fetched', async () => {
    const run = createAugmentedRun()
    await startTask(run, { pollInterval: 60_000 })
    await vi.advanceTimersByTimeAsync(1000)
    run.connection.push(statusPush, flat('completed'))
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/result'])
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('one that says how far the work is neither hastens nor delays the next read', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    for (let n = 0; n < 9; n++) {
      await vi.advanceTimersByTimeAsync(100)
      run.connection.push(statusPush, flat('working', { statusMessage: `${n} of 9` }))
    }
    expect(run.connection.wire).toEqual(['tools/call'])
    await vi.advanceTimersByTimeAsync(100)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
  })

  test('those of strangers are dropped, also while a call is out, and are nowhere to be found', async () => {
    const log = vi.spyOn(console, 'log')
    const run = createAugmentedRun()
    const call = await fireCall(run)
    run.connection.push(statusPush, flat('completed', { taskId: 'stranger' }))
    await call.answer(wrapped())
    const shown = run.view()
    run.connection.push(statusPush, flat('completed', { taskId: 'stranger' }))
    await settle()
    expect(run.view()).toBe(shown)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(JSON.stringify([shown, run.runner.reference])).not.toContain('stranger')
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
  })

  test('one that came before the handle is kept for half a minute, and not for longer', async () => {
    for (const [wait, status] of [
      [29_999, 'input_required'],
      [30_001, 'working'],
    ] as const) {
      const run = createAugmentedRun()
      const call = await fireCall(run)
      run.connection.push(statusPush, flat('input_required'))
      await vi.advanceTimersByTimeAsync(wait)
      await call.answer(wrapped())
      expect(run.view().task?.status).toBe(status)
      run.runner.dispose()
    }
  })

  test('an early one that is older than the handle is dropped', async () => {
    const run = createAugmentedRun()
    const call = await fireCall(run)
    run.connection.push(statusPush, flat('working', { statusMessage: 'old', lastUpdatedAt: '2025-11-25T09:00:00Z' }))
    await call.answer(wrapped({ statusMessage: 'new', lastUpdatedAt: '2025-11-25T09:00:01Z' }))
    expect(run.view().task?.statusMessage).toBe('new')
  })

  test('nobody listens before the first run and after the last', async () => {
    const run = createAugmentedRun()
    expect(run.connection.listeners).toBe(0)
    await startTask(run)
    expect(run.connection.listeners).toBeGreaterThan(0)
    run.connection.push(statusPush, flat('cancelled'))
    await settle()
    expect(run.connection.listeners).toBe(0)
  })
})

test('pushes of 2025-11-25 need no subscription: none is asked for', async () => {
  const { listen, listens } = recordListens()
  const run = createRun({}, connectAugmented({ listen }))
  await startTask(run)
  await nextRead(run)
  await run.connection.last('tasks/get').answer(flat())
  await readSays(run, 'completed')
  await run.connection.last('tasks/result').answer(payload())
  expect(run.view().phase).toBe('completed')
  expect(listens).toEqual([])
})
