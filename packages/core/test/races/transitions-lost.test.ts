import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, handle } from '../support/fake-connection.ts'
import { createRun, fire, ignore } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const reference = {
  version: 1,
  protocol: 'extension',
  endpoint: 'https://tiles.example/mcp',
  tool: 'tile_city',
  taskId: null,
} as const

describe('lost', () => {
  const lose = async () => {
    const run = createRun({ submitTimeout: 5000 })
    const call = fire(run)
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view().detachedBecause).toBe('lost')
    return { run, call }
  }

  test('a cancel is only remembered, and goes out with a late handle', async () => {
    const { run, call } = await lose()
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', cancelRequested: true })
    expect(run.connection.wire).toEqual(['tools/call'])
    await call.answer(handle())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
  })

  test('a push never makes a lost run a task', async () => {
    const { run } = await lose()
    const shown = run.view()
    run.connection.push('notifications/tasks', completed())
    expect(run.view()).toBe(shown)
  })

  test('reset: idle, and a late task is reported', async () => {
    const { run, call } = await lose()
    expect(run.runner.reset()).toMatchObject({ taskId: null })
    await call.answer(handle())
    expect(run.view().phase).toBe('idle')
    expect(run.orphans).toEqual([expect.objectContaining({ taskId: 'tk-1' })])
  })

  test('retry makes a second call because the caller says so', async () => {
    const { run } = await lose()
    ignore(run.runner.retry())
    expect(run.view()).toMatchObject({ phase: 'submitting', attempt: 2, error: null })
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
  })

  test('a reference without an id is lost from the start, and sends nothing', async () => {
    const run = createRun()
    await run.runner.resume(reference)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', canRetry: false })
    expect(run.connection.wire).toEqual([])
    fire(run)
    expect(run.view()).toMatchObject({ phase: 'submitting', error: null })
  })
})
