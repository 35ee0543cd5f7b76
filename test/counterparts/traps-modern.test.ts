import { afterEach, describe, expect, test } from 'vitest'
import { serveByHand } from './support/by-hand.ts'
import { connect } from './support/clients.ts'
import { cleanUp } from './support/pairs.ts'
import { programs, urlOf } from './support/programs.ts'
import {
  cancelAndHear,
  disposeRunners,
  follow,
  holdReads,
  run,
  textOf,
  untilStatus,
  viewWhere,
} from './support/runs.ts'

cleanUp()
const kind = 'SDK 2.x, 2026-07-28'
const now = '2026-11-02T08:15:00.000Z'
const working = {
  taskId: 't-1',
  status: 'working',
  createdAt: now,
  lastUpdatedAt: now,
  ttlMs: null,
  pollIntervalMs: 50,
}
const complete = { resultType: 'complete' }
const done = { status: 'completed', result: { content: [{ type: 'text', text: 'worked' }] } }

describe.each(['stdio', 'http'] as const)('what surprises on 2026-07-28 over %s', (way) => {
  const there = () => (way === 'http' ? urlOf(programs.twoGenerationsOverHttp) : programs.twoGenerationsOverStdio)

  test('the SDK alone loses the task that it started', async () => {
    const here = await connect(kind, await there())
    const call = { name: 'work', arguments: { says: 'not lost' } }
    const lost = (here.client as { callTool(params: object): Promise<unknown> }).callTool(call)
    await expect(lost).rejects.toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' })
    const [sent] = here.wire.sent('tools/call')
    const { taskId } = here.wire.answer(sent!)!.message['result']
    // It works all the same.
    await untilStatus(here, taskId, ['completed'])
    const runner = run(here, 'work')
    await runner.fire(call.arguments)
    expect(textOf(await runner.result())).toBe('not lost')
  })

  test.each(['typed', 'untyped'])('the result inside a read is %s', async (odd) => {
    const here = await connect(kind, await there())
    const runner = run(here, 'work')
    const { taskId } = (await runner.fire({ odd })).task
    expect(textOf(await runner.result())).toBe('worked')
    const [last] = here.wire.sent('tasks/get', { taskId }).slice(-1)
    const { result } = here.wire.answer(last!)!.message['result']
    expect('resultType' in result).toBe(odd === 'typed')
  })

  test('a cancel of an ended task is acknowledged, which says nothing', async () => {
    const here = await connect(kind, await there())
    const unaware = holdReads(here)
    const runner = run(unaware, 'work')
    follow(runner)
    const { taskId } = (await runner.fire({})).task
    await untilStatus(here, taskId!, ['completed'])
    const answer = await cancelAndHear(runner, here)
    expect(answer.message['result']).toMatchObject(complete)
    expect(runner.getSnapshot().phase).toBe('cancelling')
    unaware.release()
    expect(textOf(await runner.result())).toBe('worked')
    expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', cancelRequested: true, confirmed: null })
  })

  test('a failed task has its error with it', async () => {
    const here = await connect(kind, await there())
    const runner = run(here, 'fail')
    await runner.fire({ how: 'error' })
    await expect(runner.result()).rejects.toMatchObject({ kind: 'protocol', code: -32050, data: { floor: 3 } })
  })

  test('several prompts at once and one after the other', async () => {
    const here = await connect(kind, await there())
    const runner = run(here, 'ask')
    await runner.fire({ keys: [['name', 'town'], ['age']] })
    await viewWhere(runner, ({ inputRequests }) => 'name' in inputRequests && 'town' in inputRequests)
    await runner.respond({ name: { action: 'accept', content: { name: 'Ada' } } })
    await runner.respond({ town: { action: 'decline' } })
    await viewWhere(runner, ({ inputRequests }) => 'age' in inputRequests)
    await runner.respond({ age: { action: 'accept', content: { age: '7' } } })
    expect(await runner.result()).toMatchObject({
      data: { name: { action: 'accept' }, town: { action: 'decline' }, age: { content: { age: '7' } } },
    })
  })
})

describe('what surprises on 2026-07-28 in the words of HTTP', () => {
  afterEach(disposeRunners)

  test('an unknown method hides in a 404', async () => {
    let ended = false
    const url = await serveByHand({
      'tools/call': () => ({ result: { ...working, resultType: 'task' } }),
      'tasks/get': () => ({ result: { ...complete, ...working, ...(ended && done) } }),
      'tasks/cancel': () => ({ status: 404, body: { error: { code: -32601, message: 'Method not found' } } }),
    })
    const here = await connect(kind, url)
    const runner = run(here, 'work')
    follow(runner)
    await runner.fire({})
    await runner.cancel()
    expect(runner.getSnapshot()).toMatchObject({
      phase: 'working',
      detachedBecause: null,
      error: { kind: 'unsupported' },
    })
    expect(here.wire.sent('tasks/cancel')).toHaveLength(1)
    ended = true
    expect(textOf(await runner.result())).toBe('worked')
  })

  test('a read says that it is a task', async () => {
    const url = await serveByHand({
      'tools/call': () => ({ result: { ...working, resultType: 'task' } }),
      'tasks/get': (_params, before) => ({ result: { ...working, ...(before > 0 && done), resultType: 'task' } }),
    })
    const runner = run(await connect(kind, url), 'work')
    await runner.fire({})
    expect(textOf(await runner.result())).toBe('worked')
  })
})
