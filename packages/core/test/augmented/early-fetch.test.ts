import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createAugmentedRun,
  flat,
  openKeys,
  payload,
  readSays,
  startAsking,
  startTask,
  statusPush,
} from '../support/augmented.ts'
import { accepted, elicitation, relatedTo, settle } from '../support/fake-connection.ts'
import { ignore, trouble, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const fetches = (run: Run) => run.connection.count('tasks/result')

/** A task that waits for input, with its result being fetched and no prompt come yet. */
async function startWaiting() {
  const run = createAugmentedRun()
  await startTask(run)
  await readSays(run, 'input_required')
  return { run, fetch: run.connection.last('tasks/result') }
}

describe('the result of a task that waits for input is fetched early', () => {
  test.each(['read', 'push', 'handle'])('once, and without a limit of time (told by a %s)', async (by) => {
    const run = createAugmentedRun({ requestTimeout: 5000 })
    await startTask(run, by === 'handle' ? { status: 'input_required' } : {})
    if (by === 'read') await readSays(run, 'input_required')
    if (by === 'push') run.connection.push(statusPush, flat('input_required'))
    const fetch = run.connection.last('tasks/result')
    expect(fetch.params).toEqual({ taskId: 'tk-1' })
    expect(fetch.options.timeout).toBeGreaterThan(24 * 3_600_000)
    for (let n = 0; n < 4; n++) await readSays(run, 'input_required')
    run.connection.push(statusPush, flat('input_required', { statusMessage: 'still' }))
    expect(fetches(run)).toBe(1)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
  })

  test('kept open while a person is asked, however long that takes', async () => {
    const { run, fetch } = await startAsking()
    for (let n = 0; n < 100; n++) await readSays(run, 'input_required')
    expect(run.view().phase).toBe('input_required')
    expect(fetches(run)).toBe(1)
    await fetch.answer(payload())
    expect(run.view().phase).toBe('completed')
  })

  test('kept open from state to state, and it brings the result', async () => {
    const { run, fetch, asked } = await startAsking()
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    for (const status of ['input_required', 'working', 'input_required', 'working']) await readSays(run, status)
    await run.connection.ask(elicitation('And the other one?'), 'tk-1')
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await readSays(run, 'completed')
    expect(run.view().phase).toBe('working')
    await fetch.answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(fetches(run)).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('not for a word that nobody knows, whatever it sounds like', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await readSays(run, 'waiting_for_input')
    expect(run.view().task).toMatchObject({ status: 'working', rawStatus: 'waiting_for_input' })
    expect(fetches(run)).toBe(0)
  })
})

describe('it is answered before a read says that the task has ended', () => {
  test.each([
    ['a result', payload(), 'completed', undefined],
    ['a failure of the tool', payload('no disk', { isError: true }), 'failed', 'tool'],
  ])('%s is the outcome at once: no read, no second fetch', async (_, answer, phase, kind) => {
    const { run, fetch, asked } = await startAsking()
    await fetch.answer(answer)
    expect(run.view()).toMatchObject({ phase, task: { taskId: 'tk-1', status: phase }, inputRequests: {} })
    expect(run.view().error?.kind).toBe(kind)
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
    expect(run.settled).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a result while it works again: the outcome at once, though a read is out', async () => {
    const { run, fetch } = await startWaiting()
    await readSays(run, 'working')
    await vi.advanceTimersByTimeAsync(1000)
    await fetch.answer(payload())
    const shown = run.view()
    expect(shown.phase).toBe('completed')
    await run.connection.last('tasks/get').answer(flat())
    expect(run.view()).toBe(shown)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('the result of another task: a read tells, and the result is fetched once more', async () => {
    const { run, fetch } = await startWaiting()
    await fetch.answer(payload('foreign tiles', { _meta: relatedTo('tk-2') }))
    expect(run.view()).toMatchObject({ phase: 'working', result: null })
    await run.connection.last('tasks/get').answer(flat('completed'))
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/get', 'tasks/result'])
  })

  test('the end is known by a push, and the fetch that is open does not answer in time: another one is made', async () => {
    const { run, fetch } = await startWaiting()
    run.connection.push(statusPush, flat('completed'))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(fetches(run)).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(fetches(run)).toBe(2)
    await run.connection.last('tasks/result').answer(payload())
    const shown = run.view()
    expect(shown.phase).toBe('completed')
    await fetch.answer(payload('late tiles'))
    expect(run.view()).toBe(shown)
  })
})

describe('it is answered with an error', () => {
  const lost = { code: -32603, message: 'renderer lost', data: { shard: 3 } }

  test('and the task has failed: one read, and the error is the outcome, without a second fetch', async () => {
    const { run, fetch } = await startWaiting()
    await fetch.fail(lost)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
    await run.connection.last('tasks/get').answer(flat('failed'))
    await settle()
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', ...lost } })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('and the task has completed: the error was about the fetch, and another one brings the result', async () => {
    const { run, fetch } = await startWaiting()
    await fetch.fail(lost)
    await run.connection.last('tasks/get').answer(flat('completed'))
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(fetches(run)).toBe(2)
  })

  test('and the task is unknown: expired', async () => {
    const { run, fetch } = await startWaiting()
    await fetch.fail(trouble.gone)
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired' })
    expect(fetches(run)).toBe(1)
  })

  test.each([-32600, -32601, -32602, -32603])(
    '%d, and the task goes on: reading goes on, and it is not fetched again before the task asks anew',
    async (code) => {
      const { run, fetch } = await startWaiting()
      await fetch.fail({ code, message: 'Task is not finished' })
      await run.connection.last('tasks/get').answer(flat('input_required'))
      for (let n = 0; n < 5; n++) await readSays(run, 'input_required')
      expect(fetches(run)).toBe(1)
      expect(run.view()).toMatchObject({ phase: 'working', error: null, isStale: false })
      await readSays(run, 'working')
      expect(fetches(run)).toBe(1)
      await readSays(run, 'input_required')
      expect(fetches(run)).toBe(2)
      await readSays(run, 'completed')
      await run.connection.last('tasks/result').answer(payload())
      expect(run.view().phase).toBe('completed')
    },
  )
})

describe('its stream breaks', () => {
  test.each(['reset', 'unsent'] as const)(
    'before a prompt has come (%s): it is opened again by the next read',
    async (failure) => {
      const { run, fetch } = await startWaiting()
      await fetch.fail(trouble[failure])
      expect(fetches(run)).toBe(1)
      await readSays(run, 'input_required')
      expect(fetches(run)).toBe(2)
      await run.connection.ask(elicitation(), 'tk-1')
      expect(openKeys(run)).toHaveLength(1)
      await run.connection.last('tasks/result').answer(payload())
      expect(run.view().phase).toBe('completed')
    },
  )

  test('again and again: after the third it is left alone until the task asks anew', async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/result', () => Promise.reject(trouble.reset))
    await startTask(run)
    for (let n = 0; n < 9; n++) await readSays(run, 'input_required')
    expect(fetches(run)).toBe(3)
    expect(run.view()).toMatchObject({ phase: 'working', error: null })
    await readSays(run, 'working')
    await readSays(run, 'input_required')
    expect(fetches(run)).toBe(4)
  })

  test('without a word, and no prompt comes: it is opened again after the time of a request', async () => {
    const { run } = await startWaiting()
    for (let n = 0; n < 28; n++) await readSays(run, 'input_required')
    expect(fetches(run)).toBe(1)
    for (let n = 0; n < 3; n++) await readSays(run, 'input_required')
    expect(fetches(run)).toBe(2)
  })
})
