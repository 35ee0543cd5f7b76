import { describe, expect, test, vi } from 'vitest'
import { createTaskRunner } from '../../src/index.ts'
import { createFakeConnection, elicitation, handle, settle, snapshot } from '../support/fake-connection.ts'
import { containedTests, expectGone, ignore, startTask } from '../support/hostile.ts'

containedTests()

describe('sharing and resuming', () => {
  test('P28: a second observer of the same task does not read earlier or more often', async () => {
    const run = await startTask(handle({ pollIntervalMs: 10_000 }))
    run.connection.on('tasks/get', () => snapshot('working', { pollIntervalMs: 10_000 }))
    const others = Array.from({ length: 5 }, () => {
      const runner = createTaskRunner({ connection: run.connection, tool: 'tile_city' })
      runner.subscribe(() => {})
      return runner
    })
    for (const other of others) void other.resume(run.runner.reference!)
    await settle()
    // Each resume may read once, now; those that come together share it.
    const afterResume = run.connection.count('tasks/get')
    expect(afterResume).toBeLessThanOrEqual(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.count('tasks/get')).toBe(afterResume + 6)
    for (const other of others) other.dispose()
    await expectGone(run)
  })

  test('P28: dropping and retaking the only subscription does not read early', async () => {
    const connection = createFakeConnection()
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    let stop = runner.subscribe(() => {})
    ignore(runner.fire())
    await connection.last('tools/call').answer(handle({ pollIntervalMs: 10_000 }))
    for (let i = 0; i < 20; i++) {
      stop()
      await vi.advanceTimersByTimeAsync(400)
      stop = runner.subscribe(() => {})
    }
    expect(connection.count('tasks/get')).toBe(0)
    await vi.advanceTimersByTimeAsync(2000)
    expect(connection.count('tasks/get')).toBe(1)
    runner.dispose()
  })

  test('P28: whoever joins later is told what the earlier reads said', async () => {
    const run = await startTask(handle())
    const asking = snapshot('input_required', { inputRequests: { overwrite: elicitation() }, statusMessage: 'asking' })
    run.connection.on('tasks/get', () => asking)
    await vi.advanceTimersByTimeAsync(1000)
    const other = createTaskRunner({ connection: run.connection, tool: 'tile_city' })
    other.subscribe(() => {})
    await other.resume(run.runner.reference!)
    await vi.advanceTimersByTimeAsync(5000)
    expect(other.getSnapshot()).toMatchObject({
      phase: 'input_required',
      task: { statusMessage: 'asking' },
      inputRequests: { overwrite: { kind: 'elicitation' } },
    })
    other.dispose()
    await expectGone(run)
  })

  test('P28: a task that was let go and resumed at once shows its prompt again', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
    await vi.advanceTimersByTimeAsync(1000)
    await run.runner.resume(run.runner.reset()!)
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view()).toMatchObject({ phase: 'input_required', inputRequests: { overwrite: { kind: 'elicitation' } } })
    await expectGone(run)
  })
})
