import { describe, expect, test, vi } from 'vitest'
import { createTaskRunner } from '../../src/index.ts'
import { flat, payload, statusPush, wrapped } from '../support/augmented.ts'
import { elicitation, settle } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore } from '../support/hostile.ts'
import { broken, hour, startAnswered, startWaiting } from './support.ts'

containedTests()

/** Answers to reads that change from one to the next, and how often they wanted input. */
function flip() {
  let wishes = 0
  return {
    wishes: () => wishes,
    read(_: unknown, nth: number) {
      const status = nth % 2 === 1 ? 'input_required' : 'working'
      if (status === 'input_required') wishes++
      return flat(status)
    },
  }
}

describe('a server that wants input and does not want it, from read to read', () => {
  test.each([
    ['never answers the fetch', undefined],
    ['breaks it off', () => Promise.reject(broken)],
    ['refuses it', () => Promise.reject({ code: -32603, message: 'busy' })],
    ['does not know it', () => Promise.reject({ code: -32601, message: 'Method not found' })],
  ] as const)('and %s: at most one fetch per wish, and two reads per interval', async (_, answer) => {
    const run = await startAnswered(wrapped())
    const { read, wishes } = flip()
    run.connection.on('tasks/get', read)
    run.connection.on('tasks/result', answer)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
    expect(run.connection.count('tasks/result')).toBeLessThanOrEqual(wishes())
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(1201)
    await expectGone(run)
  })

  test('and asks each time: the fetch that is open is enough', async () => {
    const run = await startWaiting()
    run.connection.on('tasks/get', flip().read)
    await run.connection.ask(elicitation(), 'tk-1')
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.count('tasks/result')).toBe(1)
    await expectGone(run)
  })
})

describe('a server that waits for input for ever', () => {
  test.each([
    ['never answers the fetch', undefined],
    ['breaks it off', () => Promise.reject(broken)],
    ['cannot be reached for it', () => Promise.reject({ code: 'ECONNREFUSED', message: 'refused' })],
    ['refuses it', () => Promise.reject({ code: -32603, message: 'busy' })],
    ['throws', () => Promise.reject(undefined)],
  ] as const)('and %s: three fetches at most, and the task is read on', async (_, answer) => {
    const run = await startAnswered(wrapped())
    run.connection.on('tasks/get', () => flat('input_required'))
    run.connection.on('tasks/result', answer)
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
    expect(run.connection.count('tasks/result')).toBeLessThanOrEqual(3)
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(3603)
    await expectGone(run)
  })

  test('and whose connection gives no promise for the fetch: the task is read on', async () => {
    const run = await startAnswered(wrapped())
    const { request } = run.connection
    const fetched = vi.fn<() => undefined>()
    Object.assign(run.connection, {
      request: ((method, ...rest) =>
        method === 'tasks/result' ? (fetched() as never) : request(method, ...rest)) as typeof request,
    })
    run.connection.on('tasks/get', () => flat('input_required'))
    await vi.advanceTimersByTimeAsync(60_000)
    expectClear(run)
    expect(fetched.mock.calls.length).toBeLessThanOrEqual(3)
    await expectGone(run)
  })
})

describe('an early fetch that ends at a bad moment', () => {
  test.each(['answers', 'fails', 'is refused'])('after the end of the run it %s: nothing changes', async (how) => {
    const run = await startWaiting()
    run.connection.push(statusPush, flat('cancelled'))
    const ended = run.view()
    expect(ended.phase).toBe('cancelled')
    if (how === 'answers') await run.fetch.answer(payload())
    else await run.fetch.fail(how === 'fails' ? broken : { code: -32603, message: 'cancelled' })
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toBe(ended)
    expect(run.connection.wire.filter((method) => method === 'tasks/result')).toHaveLength(1)
    await expectGone(run)
  })

  test.each(['answers', 'fails', 'is refused'])('after the run is gone it %s: nothing is sent', async (how) => {
    const run = await startWaiting()
    await expectGone(run)
    const before = run.connection.sent.length
    if (how === 'answers') await run.fetch.answer(payload())
    else await run.fetch.fail(how === 'fails' ? broken : { code: -32603, message: 'no' })
    await vi.advanceTimersByTimeAsync(hour)
    // One read at most: a refusal has to be understood by whoever still follows the task.
    expect(run.connection.sent.length).toBeLessThanOrEqual(before + 1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('in the next run it answers: the next run does not take it for its own', async () => {
    const run = await startWaiting()
    ignore(run.runner.fire({ city: 'Oulu' }))
    await settle()
    await run.connection.last('tools/call').answer(wrapped({ taskId: 'tk-2' }))
    await run.fetch.answer(payload('of the first'))
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-2' }, result: null })
    await expectGone(run)
  })

  test('while two runs follow the task: both have its result, by one fetch', async () => {
    const run = await startWaiting()
    const other = createTaskRunner({ connection: run.connection, tool: 'tile_city' })
    ignore(other.resume(run.runner.reference))
    await settle()
    await run.fetch.answer(payload())
    for (const { getSnapshot } of [run.runner, other])
      expect(getSnapshot()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(run.connection.count('tasks/result')).toBe(1)
    other.dispose()
    await expectGone(run)
  })
})

describe('pushes', () => {
  test('a thousand in a row that say "input required" and "working" cost a bounded number of fetches', async () => {
    const run = await startAnswered(wrapped())
    for (let nth = 0; nth < 1000; nth++)
      run.connection.push(statusPush, flat(nth % 2 === 0 ? 'input_required' : 'working'))
    await settle()
    expect(run.connection.count('tasks/result')).toBeLessThanOrEqual(1)
    expect(run.connection.count('tasks/get')).toBe(0)
    await expectGone(run)
  })

  test('that say "completed" a thousand times cost one fetch', async () => {
    const run = await startAnswered(wrapped())
    for (let nth = 0; nth < 1000; nth++) run.connection.push(statusPush, flat('completed', { statusMessage: `${nth}` }))
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/result'])
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })
})
