import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { accepted, completed, snapshot } from '../support/fake-connection.ts'
import { cancel, createRun, fire, fireTask, ignore, nextRead, trouble, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const push = 'notifications/tasks'
const reference = {
  version: 1,
  protocol: 'extension',
  endpoint: 'https://tiles.example/mcp',
  tool: 'tile_city',
  taskId: 'tk-2',
} as const

const ends = ['completed', 'failed', 'cancelled', 'cancelled, unconfirmed', 'expired'] as const
async function end(how: (typeof ends)[number]): Promise<Run> {
  const run = createRun()
  await fireTask(run)
  await (await nextRead(run)).answer(snapshot())
  if (how === 'cancelled, unconfirmed') await cancel(run).answer({})
  const read = await nextRead(run)
  if (how === 'completed') await read.answer(completed())
  else if (how === 'failed') await read.answer(snapshot('failed', { error: trouble.internal }))
  else if (how === 'cancelled') await read.answer(snapshot('cancelled'))
  else await read.fail(trouble.gone)
  expect(run.view()).toMatchObject({ phase: how.split(',')[0], isTerminal: true })
  return run
}

describe.each(ends)('%s', (how) => {
  test.each<[string, (run: Run) => unknown]>([
    ['cancel', ({ runner }) => runner.cancel()],
    ['respond', ({ runner }) => runner.respond({ a: accepted })],
    ['refresh', ({ runner }) => runner.refresh()],
    ['detach', ({ runner }) => runner.detach()],
    ['leaving', ({ unwatch }) => unwatch()],
    ['a late push', ({ connection }) => connection.push(push, snapshot('cancelled', { statusMessage: 'late' }))],
  ])('%s changes nothing and sends nothing', async (_, act) => {
    const run = await end(how)
    const [shown, { wire }] = [run.view(), run.connection]
    await act(run)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toBe(shown)
    expect(run.connection.wire).toEqual(wire)
    expect(run.settled).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('fire begins a new run, with nothing of the old one', async () => {
    const run = await end(how)
    fire(run)
    expect(run.view()).toMatchObject({
      phase: 'submitting',
      task: null,
      result: null,
      error: null,
      cancelRequested: false,
      attempt: 1,
    })
    expect(run.connection.count('tools/call')).toBe(2)
    expect(run.orphans).toEqual([])
  })

  test('reset: idle, and there is no reference to keep', async () => {
    const run = await end(how)
    expect(run.runner.reset()).toBeNull()
    expect(run.view()).toMatchObject({ phase: 'idle', task: null, result: null, error: null })
  })

  test('resume with another reference reads that task', async () => {
    const run = await end(how)
    ignore(run.runner.resume(reference))
    expect(run.connection.last('tasks/get').params).toEqual({ taskId: 'tk-2' })
    expect(run.view()).toMatchObject({ phase: 'working', result: null, error: null, task: { taskId: 'tk-2' } })
    expect(run.orphans).toEqual([])
  })
})

test.each(['completed', 'failed', 'cancelled'] as const)(
  '%s: resume reads nothing, the server has spoken',
  async (how) => {
    const run = await end(how)
    const [shown, { wire }] = [run.view(), run.connection]
    ignore(run.runner.resume())
    expect(run.view()).toBe(shown)
    expect(run.connection.wire).toEqual(wire)
  },
)

describe.each(['cancelled, unconfirmed', 'expired'] as const)('%s: resume looks once more', (how) => {
  test('the task is still gone: the same is shown as before', async () => {
    const run = await end(how)
    const [shown, reads] = [run.view(), run.connection.count('tasks/get')]
    ignore(run.runner.resume())
    expect(run.connection.count('tasks/get')).toBe(reads + 1)
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toEqual(shown)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('it has completed after all: the result is shown', async () => {
    const run = await end(how)
    ignore(run.runner.resume())
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null, confirmed: null })
  })
})

test.each(ends.slice(1))('%s: retry runs the same call again', async (how) => {
  const run = await end(how)
  ignore(run.runner.retry())
  expect(run.view()).toMatchObject({ phase: 'submitting', attempt: 2, error: null })
  expect(run.connection.last('tools/call').params).toMatchObject({ arguments: { city: 'Turku' } })
})

test('completed: retry is refused', async () => {
  const run = await end('completed')
  await expect(run.runner.retry()).rejects.toMatchObject({ kind: 'not-sent' })
  expect(run.connection.count('tools/call')).toBe(1)
})

describe.each(['unreachable', 'unauthorized', 'timeout'] as const)('detached because of %s', (why) => {
  async function detach(): Promise<Run> {
    const run = createRun(why === 'timeout' ? { maxWait: 3500 } : {})
    await fireTask(run)
    if (why === 'timeout') run.connection.on('tasks/get', () => snapshot())
    else
      run.connection.on('tasks/get', () => Promise.reject(why === 'unreachable' ? trouble.busy : trouble.unauthorized))
    await vi.advanceTimersByTimeAsync(10_000)
    run.connection.on('tasks/get', undefined)
    expect(run.view()).toMatchObject({
      phase: 'detached',
      detachedBecause: why,
      error: { kind: why },
      isWorking: false,
    })
    return run
  }

  test('nothing is sent, and no timer is armed', async () => {
    const run = await detach()
    const { wire } = run.connection
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(wire)
    expect(run.runner.reference).toMatchObject({ taskId: 'tk-1' })
  })

  test('respond and detach do nothing', async () => {
    const run = await detach()
    const [shown, { wire }] = [run.view(), run.connection]
    await run.runner.respond({ a: accepted })
    run.runner.detach()
    expect(run.view()).toBe(shown)
    expect(run.connection.wire).toEqual(wire)
  })

  test('cancel is sent, and goes on as cancelling', async () => {
    const run = await detach()
    await cancel(run).answer({})
    expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true, error: null })
    // The server takes its time, and the wait counts anew.
    await (await nextRead(run)).answer(snapshot())
    expect(run.view()).toMatchObject({ phase: 'cancelling', error: null })
    await (await nextRead(run)).answer(snapshot('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  })

  test.each<[string, JsonObject, string]>([
    ['completed', completed(), 'completed'],
    ['cancelled', snapshot('cancelled'), 'cancelled'],
    ['working', snapshot('working', { statusMessage: '3 of 9' }), 'detached'],
    ['input_required', snapshot('input_required', { inputRequests: {} }), 'detached'],
  ])('a push that still arrives is true: %s', async (_, answer, phase) => {
    const run = await detach()
    run.connection.push(push, answer)
    expect(run.view()).toMatchObject({ phase, task: { status: answer['status'] } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each<[string, 'answer' | 'fail', object, object]>([
    ['works', 'answer', snapshot(), { phase: 'working', error: null }],
    ['is gone', 'fail', trouble.gone, { phase: 'expired' }],
  ])('resume reads at once, and the task %s', async (_, how, answer, shown) => {
    const run = await detach()
    const reads = run.connection.count('tasks/get')
    ignore(run.runner.resume())
    expect(run.view()).toMatchObject({ phase: 'working', error: null, detachedBecause: null })
    expect(run.connection.count('tasks/get')).toBe(reads + 1)
    await run.connection.last('tasks/get')[how](answer as JsonObject)
    expect(run.view()).toMatchObject(shown)
  })

  test('fire lets the task go on, reports it, and begins a new run', async () => {
    const run = await detach()
    fire(run)
    expect(run.view()).toMatchObject({ phase: 'submitting', error: null })
    expect(run.orphans).toEqual([expect.objectContaining({ taskId: 'tk-1' })])
    expect(run.connection.count('tasks/cancel')).toBe(0)
  })

  test('reset: idle, and the reference is given back', async () => {
    const run = await detach()
    expect(run.runner.reset()).toMatchObject({ taskId: 'tk-1' })
    expect(run.view()).toMatchObject({ phase: 'idle', error: null })
  })
})
