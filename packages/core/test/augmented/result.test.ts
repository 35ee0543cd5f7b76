import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAugmentedRun, flat, payload, readSays, startTask, statusPush, wrapped } from '../support/augmented.ts'
import { relatedTo, settle } from '../support/fake-connection.ts'
import { createRun, ignore, stateOf, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A task that has ended, while its result is being fetched. */
async function startEnded(status: string, over = {}) {
  const run = createAugmentedRun()
  await startTask(run)
  await readSays(run, status, over)
  return { run, fetch: run.connection.last('tasks/result') }
}

describe('tasks/result', () => {
  test.each(['read', 'push', 'handle'])('goes out once for a task that has completed (told by a %s)', async (by) => {
    const run = createAugmentedRun()
    await startTask(run, by === 'handle' ? { status: 'completed' } : {})
    if (by === 'read') await readSays(run, 'completed')
    if (by === 'push') run.connection.push(statusPush, flat('completed'))
    expect(run.connection.last('tasks/result').params).toEqual({ taskId: 'tk-1' })
    // While it is awaited, nothing else asks for it.
    run.connection.push(statusPush, flat('completed', { statusMessage: 'again' }))
    await run.runner.refresh()
    await run.runner.cancel()
    await vi.advanceTimersByTimeAsync(5000)
    const answer = payload()
    await run.connection.last('tasks/result').answer(answer)
    expect(run.view().result?.raw).toBe(answer)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(
      by === 'read' ? ['tools/call', 'tasks/get', 'tasks/result'] : ['tools/call', 'tasks/result'],
    )
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(['read', 'push', 'handle'])('never goes out for a task that was cancelled (told by a %s)', async (by) => {
    const run = createAugmentedRun()
    await startTask(run, by === 'handle' ? { status: 'cancelled' } : {})
    if (by === 'read') await readSays(run, 'cancelled')
    if (by === 'push') run.connection.push(statusPush, flat('cancelled'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, result: null })
    expect(run.connection.count('tasks/result')).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('never goes out while the task works', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    for (const status of ['working', 'paused', 'working']) await readSays(run, status)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/get'])
  })

  test('two runs that follow one task: each fetches it once', async () => {
    const { run, fetch } = await startEnded('completed')
    const other = createRun({}, run.connection)
    ignore(other.runner.resume(run.runner.reference!))
    await vi.advanceTimersByTimeAsync(0)
    await fetch.answer(payload())
    await run.connection.last('tasks/result').answer(payload())
    expect([run.view().phase, other.view().phase]).toEqual(['completed', 'completed'])
    expect(run.connection.count('tasks/result')).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what it says is the outcome', () => {
  test.each([
    ['unlike the status word: failed, with a good result', 'failed', payload(), 'completed', undefined],
    ['completed, with the failure of the tool', 'completed', payload('no disk', { isError: true }), 'failed', 'tool'],
    ['failed, with the failure of the tool', 'failed', payload('no disk', { isError: true }), 'failed', 'tool'],
    ['completed, without content', 'completed', { _meta: relatedTo('tk-1') }, 'completed', undefined],
    [
      'completed, with a prompt in place of a result',
      'completed',
      { resultType: 'input_required' },
      'failed',
      'malformed',
    ],
    ['completed, with nonsense', 'completed', { content: 7 }, 'failed', 'malformed'],
  ])('%s', async (_, status, answer, phase, kind) => {
    const { run, fetch } = await startEnded(status)
    await fetch.answer(answer)
    expect(run.view()).toMatchObject({ phase, task: { status } })
    expect(run.view().error?.kind).toBe(kind)
    expect(run.connection.count('tasks/result')).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('content that is missing counts as empty', async () => {
    const { run, fetch } = await startEnded('completed')
    await fetch.answer({ structuredContent: { tiles: 60 } })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: { tiles: 60 }, content: [] } })
  })

  test('metadata that nobody here knows is handed on', async () => {
    const { run, fetch } = await startEnded('completed')
    await fetch.answer(payload('60 tiles', { _meta: { ...relatedTo('tk-1'), 'tiles.example/shard': 3 } }))
    expect(run.view().result?.raw).toMatchObject({ _meta: { 'tiles.example/shard': 3 } })
  })

  test.each([
    ['of another task', relatedTo('tk-2')],
    ['of none in particular', { 'io.modelcontextprotocol/related-task': { taskId: 7 } }],
  ])('the result %s is not shown: it is fetched again', async (_, meta) => {
    const { run, fetch } = await startEnded('completed')
    await fetch.answer(payload('foreign tiles', { _meta: meta }))
    expect(run.view()).toMatchObject({ phase: 'working', result: null })
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(run.connection.count('tasks/result')).toBe(2)
  })

  test('the result of another task again and again: malformed', async () => {
    const { run, fetch } = await startEnded('completed')
    run.connection.on('tasks/result', () => payload('foreign tiles', { _meta: relatedTo('tk-2') }))
    await fetch.answer(payload('foreign tiles', { _meta: relatedTo('tk-2') }))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'failed', result: null, error: { kind: 'malformed' } })
    expect(run.connection.count('tasks/result')).toBe(3)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the outcome is', () => {
  const output = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: ['no text'] }),
    },
  } as const

  test.each([
    ['after the end', 'completed'],
    ['early', 'input_required'],
  ])('checked by the schema of the caller, when it comes %s', async (_, status) => {
    for (const [text, phase] of [
      ['60 tiles', 'completed'],
      ['60', 'failed'],
    ] as const) {
      const run = createAugmentedRun({ output })
      await startTask(run, { status })
      await run.connection.last('tasks/result').answer(payload(text))
      expect(run.view()).toMatchObject({ phase, result: { content: [{ text }] } })
      expect(run.view().error?.kind).toBe(phase === 'failed' ? 'malformed' : undefined)
    }
  })

  test('a failure that the policy of the caller runs again: as another task', async () => {
    const retryPolicy = { maxAttempts: 2, baseDelayMs: 1000, retryOn: ['tool'] }
    const run = createAugmentedRun({ idempotent: true, retryPolicy })
    await startTask(run, { status: 'failed' })
    await run.connection.last('tasks/result').answer(payload('disk full', { isError: true }))
    expect(run.view()).toMatchObject({ phase: 'submitting', attempt: 2 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.last('tools/call').params).toMatchObject({ task: {} })
    await run.connection.last('tools/call').answer(wrapped({ taskId: 'tk-2', status: 'completed' }))
    expect(run.connection.last('tasks/result').params).toEqual({ taskId: 'tk-2' })
  })
})

describe('it is answered with an error', () => {
  test.each([
    ['of the work', { code: -32603, message: 'renderer lost', data: { shard: 3 } }],
    ['with a code of the server', { code: 7, message: 'no tiles left' }],
    ['that would be a refusal elsewhere', { code: -32601, message: 'no such renderer' }],
    ['in the words of the older SDK', { code: -32603, message: 'MCP error -32603: renderer lost' }],
  ])('%s, and the task has failed: that is the outcome', async (_, error) => {
    const { run, fetch } = await startEnded('failed', { statusMessage: 'it broke' })
    await fetch.fail(error)
    const { message, ...rest } = error
    expect(run.view()).toMatchObject({
      phase: 'failed',
      result: null,
      error: { kind: 'protocol', message: message.replace('MCP error -32603: ', ''), ...rest },
    })
    expect(run.connection.count('tasks/result')).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['what the status says', 'disk full', 'disk full'],
    ['a sentence of ours', undefined, expect.stringMatching(/\S/)],
  ])('-32602, and the task has failed: it has, and %s is told', async (_, statusMessage, message) => {
    const { run, fetch } = await startEnded('failed', { statusMessage })
    await fetch.fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', message } })
    expect(run.connection.count('tasks/result')).toBe(1)
  })

  test.each([
    ['interrupted', 'failed', { code: -32800, message: 'Request interrupted' }],
    ['interrupted', 'completed', { code: -32800, message: 'Request interrupted' }],
    ['of the server', 'completed', trouble.internal],
    ['of the gateway', 'failed', { status: 502, message: 'Bad Gateway' }],
    ['of the gateway, which speaks JSON-RPC', 'failed', { status: 503, code: -32000, message: 'Overloaded' }],
    ['of the network', 'failed', trouble.reset],
    ['of an unfinished session', 'failed', { code: -32001, message: 'Request timed out' }],
  ])('%s, and the task has %s: that says nothing about the work, so it is fetched again', async (_, status, error) => {
    const { run, fetch } = await startEnded(status)
    const result = run.runner.result()
    await fetch.fail(error)
    expect(await stateOf(result)).toBe('pending')
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/result').answer(payload())
    expect((await result).data).toBe('60 tiles')
    expect(run.connection.count('tasks/result')).toBe(2)
  })

  test('nobody is let in: the run is detached, and resuming fetches the result', async () => {
    const { run, fetch } = await startEnded('failed')
    await fetch.fail(trouble.unauthorized)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unauthorized' })
    run.connection.on('tasks/result', () => payload('disk full', { isError: true }))
    ignore(run.runner.resume())
    await settle()
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'tool', message: 'disk full' } })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/result'])
  })
})
