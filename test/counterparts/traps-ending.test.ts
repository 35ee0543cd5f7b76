import { describe, expect, test } from 'vitest'
import { askServer, connect, type Connected } from './support/clients.ts'
import { cleanUp } from './support/pairs.ts'
import { programs, urlOf } from './support/programs.ts'
import { cancelAndHear, follow, holdReads, run, textOf, untilStatus, viewWhere } from './support/runs.ts'
import type { Json } from './support/wire.ts'

cleanUp()
const research = 'simulate-research-query'

/** Cancels a task that the server knows has ended, while the runner does not. @returns what the server said to it, and the result */
async function cancelLate(here: Connected, tool: string, args: Json) {
  const unaware = holdReads(here)
  const runner = run(unaware, tool)
  follow(runner)
  const { taskId } = (await runner.fire(args)).task
  await untilStatus(here, taskId!, ['completed'])
  const { message: answer } = await cancelAndHear(runner, here)
  unaware.release()
  const text = textOf(await runner.result())
  expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', cancelRequested: true, error: null })
  return { text, answer }
}

/** A reference to a task that never was. */
async function inventReference(here: Connected, tool: string, args: Json) {
  const runner = run(here, tool)
  await runner.fire(args)
  return { ...runner.reset()!, taskId: '00000000-0000-4000-8000-000000000000' }
}

describe.concurrent.each(['SDK 1.x', 'SDK 2.x'] as const)('what surprises at the end, with %s', (kind) => {
  test('tasks/result is refused at once while the task works', async () => {
    const here = await connect(kind, programs.mcpFrameworkOverStdio)
    const runner = run(here, 'count')
    const { taskId } = (await runner.fire({ to: 3, ms: 1000 })).task
    await expect(here.connection.request('tasks/result', { taskId })).rejects.toMatchObject({ code: -32603 })
    const { length } = here.wire.sent('tasks/result')
    expect(await runner.result()).toMatchObject({ data: { counted: 3 } })
    expect(here.wire.sent('tasks/result')).toHaveLength(length + 1)
  })

  test('tasks/result is refused for a cancelled task, so it is not asked for', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const runner = run(here, research)
    const { taskId } = (await runner.fire({ topic: 'tides' })).task
    await runner.cancel()
    await expect(runner.result()).rejects.toMatchObject({ kind: 'cancelled' })
    expect(here.wire.sent('tasks/result')).toEqual([])
    await expect(here.connection.request('tasks/result', { taskId })).rejects.toMatchObject({ code: -32603 })
    expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true })
  })

  test('a server without cancel is not asked for it', async () => {
    const here = await connect(kind, await urlOf(programs.sdkInteractive))
    const runner = run(here, 'confirm_delete')
    const { taskId } = (await runner.fire({ filename: 'a.txt' })).task
    await expect(askServer(here, 'tasks/cancel', { taskId })).rejects.toMatchObject({ code: -32601 })
    const { length } = here.wire.sent('tasks/cancel')
    await runner.cancel()
    expect(runner.getSnapshot()).toMatchObject({ error: { kind: 'unsupported' }, isTerminal: false })
    expect(here.wire.sent('tasks/cancel')).toHaveLength(length)
  })

  test('a cancel of an ended task is refused as -32602', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const { text, answer } = await cancelLate(here, research, { topic: 'late' })
    expect(answer['error']).toMatchObject({ code: -32602 })
    expect(text).toContain('Research Report: late')
  })

  test('a cancel of an ended task is refused as -32603', async () => {
    const here = await connect(kind, programs.mcpFrameworkOverStdio)
    const { text, answer } = await cancelLate(here, 'count', { to: 1, ms: 50 })
    expect(answer['error']).toMatchObject({ code: -32603 })
    expect(text).toBe('{"counted":1}')
  })

  test('an unknown id is -32602: there is no such task', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const reference = await inventReference(here, research, { topic: 'tides' })
    const runner = run(here, research)
    await runner.resume(reference)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
  })

  test('an unknown id is -32603, like any failure: nothing is claimed, and it can be asked for again', async () => {
    const here = await connect(kind, programs.mcpFrameworkOverStdio)
    const reference = await inventReference(here, 'count', { to: 1, ms: 50 })
    const runner = run(here, 'count', { pollInterval: 50 })
    await runner.resume(reference)
    const view = await viewWhere(runner, ({ phase }) => phase === 'detached')
    expect(view).toMatchObject({ detachedBecause: 'unreachable', error: { code: -32603, retryable: true } })
    expect(runner.reference).toMatchObject({ taskId: reference.taskId })
  })

  test('a tool that fails completes its task', async () => {
    const here = await connect(kind, programs.mcpFrameworkOverStdio)
    const runner = run(here, 'fail')
    await runner.fire({ why: 'no paper' })
    await expect(runner.result()).rejects.toMatchObject({ kind: 'tool', message: expect.stringContaining('no paper') })
    expect(runner.getSnapshot()).toMatchObject({
      phase: 'failed',
      task: { status: 'completed' },
      result: { isError: true },
    })
  })

  test('a task that failed keeps the error of its call behind tasks/result', async () => {
    const here = await connect(kind, programs.twoGenerationsOverStdio)
    const runner = run(here, 'fail')
    await runner.fire({ how: 'error' })
    const error = { kind: 'protocol', code: -32050, message: 'on fire', data: { floor: 3 } }
    await expect(runner.result()).rejects.toMatchObject(error)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'failed', error, task: { status: 'failed' } })
  })

  test('progress goes on after the handle', async () => {
    const here = await connect(kind, programs.mcpFrameworkOverStdio)
    const runner = run(here, 'count')
    const { progress, messages } = follow(runner)
    const { taskId } = (await runner.fire({ to: 5, ms: 100 })).task
    const before = progress.length
    await runner.result()
    const { lines } = here.wire
    const handle = lines.findIndex(({ message }) => message['result']?.task?.taskId === taskId)
    const first = lines.findIndex(({ message }) => message['method'] === 'notifications/progress')
    expect(first).toBeGreaterThan(handle)
    expect([before, progress.slice(0, 4)]).toEqual([0, [20, 40, 60, 80]])
    expect(messages).toContain('Step 2')
  })

  test('progress goes on after a plain call was cancelled, and no answer comes', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const runner = run(here, 'trigger-long-running-operation')
    const { progress } = follow(runner)
    const fired = runner.fire({ duration: 3, steps: 12 })
    fired.catch(() => {})
    await viewWhere(runner, (view) => view.progress?.value === 2)
    await runner.cancel()
    await expect(fired).rejects.toMatchObject({ kind: 'cancelled' })
    const view = runner.getSnapshot()
    const shown = [...progress]
    expect(view).toMatchObject({ phase: 'cancelled', confirmed: false, cancelRequested: true })
    const [call] = here.wire.sent('tools/call')
    expect(here.wire.sent('notifications/cancelled', { requestId: call!['id'] })).toHaveLength(1)
    await here.wire.line(
      ({ message }) => message['method'] === 'notifications/progress' && message['params'].progress === 6,
    )
    expect(here.wire.answer(call!)).toBeUndefined()
    expect(runner.getSnapshot()).toBe(view)
    expect(progress).toEqual(shown)
  })
})
