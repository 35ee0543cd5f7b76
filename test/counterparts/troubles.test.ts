import { fromClient } from '@mcp-task-machine/core/mcp'
import { afterEach, describe, expect, test } from 'vitest'
import { serveByHand, type Answers } from './support/by-hand.ts'
import { connect, type Connected, type Kind } from './support/clients.ts'
import { HandClock } from './support/hand-clock.ts'
import { cleanUp } from './support/pairs.ts'
import { programs, startProgram } from './support/programs.ts'
import { answerPrompts, disposeRunners, follow, run, textOf, viewWhere } from './support/runs.ts'
import type { Json } from './support/wire.ts'

cleanUp()
afterEach(disposeRunners)
const forever = { duration: 1_000_000 }

/** What a server does that restarts, or thinks that nobody is there any more. */
async function endSession({ client }: Connected, url: URL): Promise<void> {
  const { sessionId } = client.transport!
  const response = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': sessionId! } })
  expect(response.status).toBe(200)
}

describe.each(['SDK 1.x', 'SDK 2.x'] as const)('trouble over HTTP with %s', (kind) => {
  test('a server that dies is unreachable; the work did not fail, and is asked for again when there is one', async () => {
    const { url, ended } = await startProgram(programs.sdkHttp)
    const here = await connect(kind, url)
    const runner = run(here, 'delay', { maxPollFailures: 2, maxPollInterval: 200 })
    follow(runner)
    const { taskId } = (await runner.fire(forever)).task
    // The server does not survive a task that ends after its ttl.
    await here.connection.request('tools/call', { name: 'delay', arguments: { duration: 300 }, task: { ttl: 100 } })
    expect(await ended).toBe(1)
    const view = await viewWhere(runner, ({ phase }) => phase === 'detached')
    expect(view).toMatchObject({
      detachedBecause: 'unreachable',
      error: { kind: 'unreachable', retryable: true },
      task: { taskId, status: 'working' },
      isTerminal: false,
    })
    expect(runner.reference).toMatchObject({ taskId })

    // Its successor knows neither the session nor the task.
    await startProgram({ ...programs.sdkHttp, env: { MCP_PORT: url.port } })
    await runner.resume()
    expect(runner.getSnapshot()).toMatchObject({ detachedBecause: 'connection', isTerminal: false })
    runner.useConnection((await connect(kind, url)).connection)
    await expect(runner.result()).rejects.toMatchObject({ kind: 'expired' })
  })

  test('a session that is gone rests the run; another connection goes on with it', async () => {
    const { url } = await startProgram(programs.sdkInteractive)
    const here = await connect(kind, url)
    const { task }: any = await here.connection.request('tools/call', {
      name: 'confirm_delete',
      arguments: { filename: 'a.txt' },
      task: {},
    })
    const { endpoint } = here.connection
    await endSession(here, url)
    const runner = run(here, 'confirm_delete')
    follow(runner)
    await runner.resume({ version: 1, protocol: 'augmented', endpoint, tool: 'confirm_delete', taskId: task.taskId })
    expect(here.wire.lines.at(-1)).toMatchObject({ status: 404, message: { error: { code: -32001 } } })
    expect(runner.getSnapshot()).toMatchObject({ detachedBecause: 'connection', isTerminal: false, isStale: true })

    const anew = await connect(kind, url)
    await anew.wire.line(({ via, status }) => via === 'GET' && status === 200)
    runner.useConnection(anew.connection)
    await answerPrompts(runner, { action: 'accept', content: { confirm: true } })
    expect(textOf(await runner.result())).toBe("Deleted 'a.txt'")
    expect(anew.wire.sent('tools/call')).toEqual([])
  })

  test('a session that is gone in the middle of a run fails nothing', async () => {
    const { url } = await startProgram(programs.sdkHttp)
    const here = await connect(kind, url)
    const runner = run(here, 'delay')
    const { taskId } = (await runner.fire(forever)).task
    const rests = viewWhere(runner, ({ detachedBecause }) => detachedBecause !== null)
    await endSession(here, url)
    expect(await rests).toMatchObject({
      phase: 'working',
      detachedBecause: 'connection',
      isStale: true,
      isTerminal: false,
      task: { taskId },
    })
  })
})

const both = [
  ['2025-11-25 and SDK 1.x', 'SDK 1.x'],
  ['2025-11-25 and SDK 2.x', 'SDK 2.x'],
  ['2026-07-28 and SDK 2.x', 'SDK 2.x, 2026-07-28'],
] as const satisfies readonly (readonly [string, Kind])[]

const result = { content: [{ type: 'text', text: 'worked' }] }

/** A task in the words of both generations. */
function snapshot(status: string, { ttl = 60_000, pollInterval = 1000, ...more }: Json = {}): Json {
  const now = '2026-11-02T08:15:00.000Z'
  const times = { createdAt: now, lastUpdatedAt: now, ttl, ttlMs: ttl, pollInterval, pollIntervalMs: pollInterval }
  return { resultType: 'complete', taskId: 't-1', status, ...times, ...more }
}
const completed = () => ({ result: snapshot('completed', { result }) })

describe.each(both)('trouble by hand with %s', (_, kind) => {
  /** A run of a server whose task is in the words of this snapshot at first, over a connection whose time the test makes. */
  async function start(seed: Json, read: Answers[string], more: Answers = {}) {
    const handle = { ...snapshot('working', seed), resultType: 'task', task: snapshot('working', seed) }
    const answers = {
      'tools/call': () => ({ result: handle }),
      'tasks/get': read,
      'tasks/result': () => ({ result: { ...result, resultType: 'complete' } }),
      ...more,
    }
    const here = await connect(kind, await serveByHand(answers, { cancel: {} }))
    const clock = new HandClock()
    const runner = run({ connection: fromClient(here.client, { clock, random: () => 0 }) }, 'work')
    follow(runner)
    await runner.fire({})
    return { here, clock, runner, reads: () => here.wire.sent('tasks/get').length }
  }

  test('429 with Retry-After: the next read waits for as long as the server wishes', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7' } }
    const { here, clock, runner, reads } = await start({}, (_params, before) => (before === 0 ? busy : completed()))
    const backsOff = viewWhere(runner, ({ isStale }) => isStale)
    clock.advance(1000)
    expect(await backsOff).toMatchObject({ phase: 'working', error: null, detachedBecause: null })
    expect(here.wire.lines.filter(({ status }) => status === 429)).toHaveLength(1)
    clock.advance(6999)
    expect(reads()).toBe(1)
    clock.advance(1)
    expect(textOf(await runner.result())).toBe('worked')
    expect(reads()).toBe(2)
  })

  test.each([
    ['denies the task', () => ({ error: { code: -32602, message: 'Task not found' } }), 'expired'],
    ['has the result after all', completed, 'completed'],
  ])('a ttl runs out in silence: one last read decides, and the server %s', async (_what, last, phase) => {
    const { clock, runner, reads } = await start({ ttl: 10_000, pollInterval: 50_000 }, last)
    const ended = viewWhere(runner, ({ isTerminal }) => isTerminal)
    clock.advance(9999)
    expect(reads()).toBe(0)
    clock.advance(1)
    expect(await ended).toMatchObject({ phase })
    expect(reads()).toBe(1)
  })

  test('a cancel that was promised is not to be had: the task goes on', async () => {
    const { here, clock, runner } = await start({}, completed, {
      'tasks/cancel': () => ({ error: { code: -32601, message: 'Method not found' } }),
    })
    await runner.cancel()
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', error: { kind: 'unsupported' }, confirmed: null })
    expect(here.wire.sent('tasks/cancel')).toHaveLength(1)
    const ended = runner.result()
    clock.advance(1000)
    expect(textOf(await ended)).toBe('worked')
  })

  test('a result that is refused for a while fails nothing', async () => {
    const refused = { error: { code: -32603, message: 'Task is not completed' } }
    const { here, clock, runner } = await start(
      { status: 'input_required' },
      (_params, before) => (before < 2 ? { result: snapshot('input_required') } : completed()),
      { 'tasks/result': (_params, before) => (before < 3 ? refused : { result }) },
    )
    const ended = runner.result()
    const steps = setInterval(() => clock.advance(1000), 5)
    expect(textOf(await ended.finally(() => clearInterval(steps)))).toBe('worked')
    expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', error: null })
    expect(here.wire.sent('tools/call')).toHaveLength(1)
  })
})
