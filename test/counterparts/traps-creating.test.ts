import { plain } from '@mcp-task-machine/core'
import { describe, expect, test } from 'vitest'
import { connect } from './support/clients.ts'
import { cleanUp } from './support/pairs.ts'
import { programs, urlOf } from './support/programs.ts'
import { follow, run, textOf, viewWhere } from './support/runs.ts'

cleanUp()
const research = 'simulate-research-query'

describe.concurrent.each(['SDK 1.x', 'SDK 2.x'] as const)('what surprises at the call, with %s', (kind) => {
  test('a status comes before the handle', async () => {
    const here = await connect(kind, programs.everythingOverStdio)
    const runner = run(here, research)
    const { messages } = follow(runner)
    await runner.fire({ topic: 'tides' })
    const [call] = here.wire.sent('tools/call')
    const [early] = here.wire.received('notifications/tasks/status')
    const { lines } = here.wire
    expect(lines.indexOf(early!)).toBeGreaterThan(0)
    expect(lines.indexOf(early!)).toBeLessThan(lines.indexOf(here.wire.answer(call!)!))
    expect(messages).toContain(early?.message['params'].statusMessage)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', task: { taskId: early?.message['params'].taskId } })
  })

  test('the handle waits for input already', async () => {
    const here = await connect(kind, await urlOf(programs.sdkInteractive))
    const runner = run(here, 'confirm_delete')
    const handle = await runner.fire({ filename: 'early.txt' })
    expect(handle.task.status).toBe('input_required')
    const { inputRequests } = await viewWhere(runner, ({ canRespond }) => canRespond)
    // Asked at once, without a read in between.
    expect(here.wire.sent('tasks/result')).toHaveLength(1)
    expect(here.wire.sent('tasks/get')).toEqual([])
    const [key] = Object.keys(inputRequests)
    await runner.respond({ [key!]: { action: 'accept', content: { confirm: true } } })
    expect(textOf(await runner.result())).toBe("Deleted 'early.txt'")
    expect(here.wire.sent('tasks/result')).toHaveLength(1)
  })

  test('the handle looks like an empty success', async () => {
    const here = await connect(kind, programs.twoGenerationsOverStdio)
    const runner = run(here, 'work')
    await runner.fire({ says: 'not empty' })
    const [call] = here.wire.sent('tools/call')
    expect(here.wire.answer(call!)?.message['result']).toMatchObject({ content: [], task: { status: 'working' } })
    expect(textOf(await runner.result())).toBe('not empty')
  })

  test('text for the model comes with the handle', async () => {
    const here = await connect(kind, programs.twoGenerationsOverStdio)
    const runner = run(here, 'work')
    await runner.fire({ interim: true, ms: 200 })
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', interim: 'It has begun.' })
    expect(textOf(await runner.result())).toBe('worked')
  })

  test('a ttl that was asked for is ignored', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const { task } = await run(here, research).fire({ topic: 'tides' }, { ttl: 60_000 })
    expect(here.wire.sent('tools/call')[0]?.['params'].task).toEqual({ ttl: 60_000 })
    expect(task.ttl).toBe(300_000)
  })

  test('a task without a ttl is kept for ever', async () => {
    const here = await connect(kind, await urlOf(programs.sdkHttp))
    const { task } = await run(here, 'delay').fire({ duration: 1_000_000 })
    expect(task.ttl).toBeNull()
  })

  test('a task goes with its ttl, and the server denies it ever was', async () => {
    const here = await connect(kind, await urlOf(programs.sdkHttp))
    const runner = run(here, 'delay')
    const { task } = await runner.fire({ duration: 1_000_000 }, { ttl: 1500 })
    expect(task.ttl).toBe(1500)
    await expect(runner.result()).rejects.toMatchObject({ kind: 'expired' })
    await expect(here.connection.request('tasks/get', { taskId: task.taskId })).rejects.toMatchObject({ code: -32602 })
    await runner.resume()
    expect(runner.getSnapshot()).toMatchObject({ phase: 'expired', confirmed: null })
  })

  test('a tool that demands a task answers a plain call with an error result', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const runner = run(here, research, {
      protocol: plain(),
      idempotent: true,
      retryPolicy: { maxAttempts: 3, baseDelayMs: 1 },
    })
    await expect(runner.fire({ topic: 'tides' }).then((handle) => handle.result())).rejects.toMatchObject({
      kind: 'unsupported',
      retryable: false,
    })
    const [call, ...more] = here.wire.sent('tools/call')
    expect(more).toEqual([])
    expect(here.wire.answer(call!)?.message['result']).toMatchObject({ isError: true })
  })

  test('a tool that forbids tasks runs and then fails if it is asked for one, so it never is', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const asked = here.connection.request('tools/call', { name: 'echo', arguments: { message: 'hi' }, task: {} })
    await expect(asked).rejects.toMatchObject({ code: -32602 })
    const { length } = here.wire.sent('tools/call')
    const runner = run(here, 'echo')
    await runner.fire({ message: 'hi' })
    expect(textOf(await runner.result())).toBe('Echo: hi')
    expect(
      here.wire
        .sent('tools/call')
        .slice(length)
        .map(({ params }) => 'task' in params),
    ).toEqual([false])
  })

  test('a handle of the other generation loses its mark on the way, and is followed by what is left', async () => {
    const here = await connect(kind, await urlOf(programs.naive))
    expect(here.connection).toMatchObject({ generation: '2025-11-25', supportsTasks: false })
    const runner = run(here, 'work')
    const handle = await runner.fire({ says: 'unasked', ms: 300 })
    expect(handle.task).toMatchObject({ taskId: expect.any(String), status: 'working' })
    expect(textOf(await runner.result())).toBe('unasked')
    expect(here.wire.sent('tools/call').map(({ params }) => 'task' in params)).toEqual([false])
  })
})
