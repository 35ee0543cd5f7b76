import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createAugmentedRun,
  flat,
  payload,
  readSays,
  startAsking,
  startTask,
  statusPush,
} from '../support/augmented.ts'
import { elicitation, settle } from '../support/fake-connection.ts'
import { cancel, ignore, nextRead, stateOf, trouble, type Answer } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the task ends while it is being cancelled', () => {
  test.each([
    ['completed', payload(), { phase: 'completed', result: { data: '60 tiles' }, error: null }],
    ['failed', payload('disk full', { isError: true }), { phase: 'failed', error: { kind: 'tool' } }],
  ])(
    'race 2: the cancel is refused, since the task has %s: one read, one fetch, and its outcome is shown without an error of the cancel',
    async (status, answer, shown) => {
      const run = createAugmentedRun()
      await startTask(run)
      const cancelled = run.runner.cancel()
      await run.connection.last('tasks/cancel').fail({ code: -32602, message: 'Cannot cancel a finished task' })
      expect(run.view()).toMatchObject({ phase: 'cancelling', error: null })
      await run.connection.last('tasks/get').answer(flat(status))
      expect(run.view()).toMatchObject({ phase: 'cancelling', error: null, canCancel: false })
      await run.connection.last('tasks/result').answer(answer)
      expect(run.view()).toMatchObject({ ...shown, cancelRequested: true, task: { status } })
      expect(await stateOf(cancelled)).toBe('resolved')
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel', 'tasks/get', 'tasks/result'])
      expect(run.views.slice(0, -1).every(({ error }) => error === null)).toBe(true)
      expect(run.settled).toHaveLength(1)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('race 2: the cancel is refused, and the task works on: that is reported, and it is followed', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await cancel(run).fail({ code: -32602, message: 'Not now' })
    await run.connection.last('tasks/get').answer(flat())
    expect(run.view()).toMatchObject({
      phase: 'working',
      cancelRequested: false,
      canCancel: true,
      error: { kind: 'protocol', code: -32602, message: 'Not now' },
    })
    await readSays(run, 'completed')
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: false, error: null })
  })

  test('race 2: the end is pushed while the cancel is out: its refusal changes nothing', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    const request = cancel(run)
    run.connection.push(statusPush, flat('completed'))
    await request.fail(trouble.gone)
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', cancelRequested: true, error: null })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel', 'tasks/result'])
  })
})

describe('the cancel request fails', () => {
  test('race 7: it keeps failing: that is reported, the task is watched, and its result is shown', async () => {
    const run = createAugmentedRun()
    run.connection.on('tasks/cancel', () => Promise.reject(trouble.busy))
    await startTask(run)
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(900)
    expect(run.connection.count('tasks/cancel')).toBe(3)
    expect(run.view()).toMatchObject({ phase: 'working', cancelRequested: false, error: { kind: 'unreachable' } })
    await readSays(run, 'completed')
    await run.connection.last('tasks/result').answer(payload())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(run.phases()).not.toContain('cancelled')
  })

  test('race 8: the answer to the first is lost, the second and a read say "unknown": cancelled, unconfirmed, not expired', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    await readSays(run, 'working')
    await cancel(run).fail(trouble.reset)
    await vi.advanceTimersByTimeAsync(250)
    run.connection.on('tasks/get', () => Promise.reject(trouble.gone))
    await run.connection.last('tasks/cancel').fail(trouble.gone)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: false, error: { kind: 'cancelled' } })
    expect(run.connection.count('tasks/cancel')).toBe(2)
    expect(run.connection.count('tasks/result')).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('race 10: reads fail while it is being cancelled: it stays cancelling and backs off', async () => {
    const run = createAugmentedRun({ maxPollFailures: 5 })
    await startTask(run)
    await cancel(run).answer(flat())
    await (await nextRead(run)).fail(trouble.busy)
    await (await nextRead(run)).fail(trouble.busy)
    expect(run.view()).toMatchObject({ phase: 'cancelling', isStale: true, error: null })
    await vi.advanceTimersByTimeAsync(1999)
    expect(run.connection.count('tasks/get')).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    await run.connection.last('tasks/get').answer(flat())
    expect(run.phases()).toEqual(['submitting', 'working', 'cancelling'])
    expect(run.connection.count('tasks/cancel')).toBe(1)
  })
})

test('race 9: the server asks while the task is being cancelled: it is told `cancel`, and nobody is bothered', async () => {
  const onInputRequired = vi.fn<Answer>()
  const run = createAugmentedRun({ onInputRequired })
  await startTask(run)
  await cancel(run).answer(flat())
  await readSays(run, 'input_required')
  const asked = await run.connection.ask(elicitation(), 'tk-1')
  expect(asked.told).toEqual({ answer: { action: 'cancel' } })
  expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {}, canRespond: false })
  await readSays(run, 'cancelled')
  expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  expect(onInputRequired).not.toHaveBeenCalled()
  expect(run.phases()).not.toContain('input_required')
  expect(run.connection.count('tasks/update')).toBe(0)
})

test.each(['working', 'input_required', 'cancelling'] as const)(
  'race 11: somebody else cancels the task while it is %s: the word of the server counts, and nothing is fetched for it',
  async (phase) => {
    const { run, asked } = await startAsking()
    if (phase === 'working') await asked.withdraw()
    const fetches = run.connection.count('tasks/result')
    const request = phase === 'cancelling' ? cancel(run) : null
    expect(run.view().phase).toBe(phase)
    run.connection.push(statusPush, flat('cancelled', { statusMessage: 'Stopped by an operator' }))
    await settle()
    const shown = run.view()
    expect(shown).toMatchObject({
      phase: 'cancelled',
      confirmed: true,
      cancelRequested: phase === 'cancelling',
      inputRequests: {},
      error: { kind: 'cancelled', message: 'Stopped by an operator' },
    })
    // Nobody will answer it any more.
    expect(asked.told).toEqual(phase === 'working' ? undefined : { answer: { action: 'cancel' } })
    await request?.fail(trouble.gone)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view()).toBe(shown)
    expect(run.connection.count('tasks/result')).toBe(fetches)
    expect(vi.getTimerCount()).toBe(0)
  },
)
