import { describe, expect, test, vi } from 'vitest'
import { flat, payload, statusPush, wrapped } from '../support/augmented.ts'
import { relatedTo, settle } from '../support/fake-connection.ts'
import { containedTests, ignore, junk, type Run } from '../support/hostile.ts'
import { broken, hour, startAnswered, startWaiting } from './support.ts'

containedTests()

/** Fetches that nobody has answered and nobody has given up. */
const openFetches = ({ connection }: Pick<Run, 'connection'>) =>
  connection.sent.filter(({ method, options }) => method === 'tasks/result' && options.signal?.aborted !== true)

describe('fetches that are open', () => {
  test('a server flips between "input required" and "working", and answers no fetch: they do not pile up', async () => {
    const run = await startAnswered(wrapped())
    run.connection.on('tasks/get', (_, nth) => flat(nth % 2 === 1 ? 'input_required' : 'working'))
    await vi.advanceTimersByTimeAsync(hour)
    expect(openFetches(run).length).toBeLessThanOrEqual(3)
  })

  test('a run is disposed: its fetch is given up, so that it holds no stream, no timer and no process', async () => {
    const run = await startWaiting()
    run.runner.dispose()
    await settle()
    expect(openFetches(run)).toEqual([])
  })

  test('a read that is answered after everybody has left opens none', async () => {
    const run = await startAnswered(wrapped())
    await vi.advanceTimersByTimeAsync(1000)
    run.runner.dispose()
    await run.connection.last('tasks/get').answer(flat('input_required'))
    expect(run.connection.wire).not.toContain('tasks/result')
  })
})

describe('a fetch that ends when nobody needs it any more', () => {
  test('refused after the run is gone: nothing is read, and no timer runs', async () => {
    const run = await startWaiting()
    run.runner.dispose()
    const before = run.connection.sent.length
    await run.fetch.fail({ code: -32603, message: 'no' })
    expect(run.connection.sent).toHaveLength(before)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('broken off after the run has its result: it is not fetched again', async () => {
    const run = await startWaiting()
    run.connection.push(statusPush, flat('completed'))
    await vi.advanceTimersByTimeAsync(40_000)
    expect(run.connection.count('tasks/result')).toBe(2)
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view().phase).toBe('completed')
    await run.fetch.fail(broken)
    expect(run.connection.count('tasks/result')).toBe(2)
  })

  test('broken off after the run is gone: it is not fetched again', async () => {
    const run = await startWaiting()
    run.connection.push(statusPush, flat('completed'))
    run.runner.dispose()
    await run.fetch.fail(broken)
    expect(run.connection.count('tasks/result')).toBe(1)
  })
})

test('pushes and refused fetches do not drive reads faster than `minPollInterval`', async () => {
  const run = await startAnswered(wrapped({ pollInterval: 60_000 }))
  run.connection.on('tasks/get', () => flat('working', { pollInterval: 60_000 }))
  run.connection.on('tasks/result', () => Promise.reject({ code: -32603, message: 'no' }))
  for (let nth = 0; nth < 100; nth++) {
    run.connection.push(statusPush, flat(nth % 2 === 0 ? 'input_required' : 'working', { pollInterval: 60_000 }))
    await settle()
  }
  expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(1)
})

describe('an answer to tasks/result that is no tool result', () => {
  test('before the end was told, from a server that has just cancelled the task for us: cancelled, not completed', async () => {
    const run = await startWaiting()
    ignore(run.runner.cancel())
    await run.fetch.answer({ _meta: relatedTo('tk-1') })
    await run.connection.last('tasks/cancel').answer(flat('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  })

  test.each(junk)('before the end was told it is %s: a read decides, and the task goes on', async (_, answer) => {
    const run = await startWaiting()
    run.connection.on('tasks/get', () => flat('working'))
    await run.fetch.answer(answer as never)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.view()).toMatchObject({ phase: 'working', result: null, error: null })
  })

  test.each([
    ['a snapshot of the task', flat('working')],
    ['a handle', wrapped()],
  ])('before the end was told it is %s: the run has not ended', async (_, answer) => {
    const run = await startWaiting()
    await run.fetch.answer(answer)
    expect(run.view()).toMatchObject({ phase: 'working', result: null })
  })

  test.each([
    ['a snapshot of the task', flat('completed')],
    ['a handle', wrapped({ status: 'completed' })],
  ])('after the end it is %s: no empty success', async (_, answer) => {
    const run = await startAnswered(wrapped({ status: 'completed' }))
    run.connection.on('tasks/result', () => answer)
    await run.connection.last('tasks/result').answer(answer)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ result: null, error: { kind: 'malformed' } })
  })

  test('after the task has failed it is nothing but metadata: failed, in the words of the task, and no empty success', async () => {
    const run = await startAnswered(wrapped({ status: 'failed', statusMessage: 'disk full' }))
    await run.connection.last('tasks/result').answer({ _meta: relatedTo('tk-1') })
    expect(run.view()).toMatchObject({ phase: 'failed', error: { message: 'disk full' } })
  })
})
