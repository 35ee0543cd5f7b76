import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { jobTools, type JsonObject } from '../../src/index.ts'
import { createFakeConnection, handle, settle, snapshot, toolResult } from '../support/fake-connection.ts'
import { createRun, fire, fireTask, ignore, nextRead, type Options } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const policy = { maxAttempts: 3, backoff: 'exponential', baseDelayMs: 1000, retryOn: ['busy_disk'] }
const busy = { code: -32000, message: 'The disk is busy', data: { code: 'busy_disk' } }
const failed = (error: JsonObject = busy) => snapshot('failed', { error })

/** A run of a tool whose definition has this `_meta`. */
function declaring(toolMeta: () => Promise<unknown>, options: Options = { idempotent: true }) {
  const asked = vi.fn<(tool: string) => Promise<JsonObject | undefined>>(toolMeta as never)
  const run = createRun(options, createFakeConnection({ toolMeta: asked }))
  return { ...run, asked }
}
const meta = (retryPolicy: unknown) => async () => ({ retryPolicy })

async function failOnce(run: ReturnType<typeof declaring>, error?: JsonObject) {
  await fireTask(run)
  await (await nextRead(run)).answer(failed(error))
}

describe('the policy that a tool declares', () => {
  test('runs failed work again, with its back-off, so often and no more', async () => {
    const run = declaring(meta(policy))
    await failOnce(run)
    expect(run.asked.mock.calls).toEqual([['tile_city']])
    for (const [delay, attempt] of [
      [1000, 2],
      [2000, 3],
    ] as const) {
      expect(run.view()).toMatchObject({ phase: 'submitting', attempt })
      await vi.advanceTimersByTimeAsync(delay - 1)
      expect(run.connection.count('tools/call')).toBe(attempt - 1)
      await vi.advanceTimersByTimeAsync(1)
      await run.connection.last('tools/call').answer(handle())
      await (await nextRead(run)).answer(failed())
    }
    expect(run.view()).toMatchObject({ phase: 'failed', attempt: 3, error: { message: busy.message } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('counts as well for a call that is answered outright, and for a payload that is fetched', async () => {
    const outright = declaring(meta({ maxAttempts: 2, retryOn: ['tool'] }))
    await fire(outright).answer(toolResult('no disk', { isError: true }))
    expect(outright.view()).toMatchObject({ phase: 'submitting', attempt: 2 })
    const settled = declaring(meta(policy))
    await fireTask(settled)
    await (await nextRead(settled)).answer(snapshot('failed'))
    await settled.connection.last('tasks/get').answer(failed())
    expect(settled.view()).toMatchObject({ phase: 'submitting', attempt: 2 })
  })

  test('counts for a job that its tool offers to run again', async () => {
    const job = (over: JsonObject) => toolResult('', { structuredContent: { jobId: 'j', ...over } })
    const protocol = jobTools({ status: 'tile_status', retry: 'tile_again' })
    const run = declaring(meta(policy), { protocol })
    const error = { code: 'busy_disk', message: 'The disk is busy' }
    await fire(run).answer(job({ status: 'failed', error, canRetry: true }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.sent.map(({ params }) => params['name'])).toEqual(['tile_city', 'tile_again'])
  })

  test.each<[string, Options, JsonObject | undefined]>([
    ['work that nobody says may run twice', {}, busy],
    ['an error that it does not name', { idempotent: true }, { ...busy, data: { code: 'bad_account' } }],
    ['what the caller has another policy for', { idempotent: true, retryPolicy: { maxAttempts: 1 } }, busy],
  ])('leaves alone %s', async (_, options, error) => {
    const run = declaring(meta(policy), options)
    await failOnce(run, error)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view().phase).toBe('failed')
    expect(run.connection.count('tools/call')).toBe(1)
    if (!options.idempotent || options.retryPolicy) expect(run.asked).not.toHaveBeenCalled()
  })

  test('is asked for only when work has failed', async () => {
    const run = declaring(meta(policy))
    await fireTask(run)
    await (await nextRead(run)).answer(snapshot('completed', { result: toolResult() }))
    expect(run.view().phase).toBe('completed')
    expect(run.asked).not.toHaveBeenCalled()
  })

  test.each([
    ['none', undefined],
    ['null', null],
    ['a word', 'often'],
    ['no number of runs', {}],
    ['no run', { maxAttempts: 0 }],
    ['another back-off', { maxAttempts: 3, backoff: 'random' }],
    ['a time that is none', { maxAttempts: 3, baseDelayMs: NaN }],
    ['words that are none', { maxAttempts: 3, retryOn: [7] }],
  ])('that is %s is kept to by nobody', async (_, wrong) => {
    const run = declaring(meta(wrong))
    await failOnce(run)
    await settle()
    expect(run.view().phase).toBe('failed')
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['no hurry', { maxAttempts: 1e9, baseDelayMs: 0, backoff: 'fixed' }],
    ['no patience without end', { maxAttempts: 1e9, baseDelayMs: Infinity }],
  ])('is asked for %s', async (_, greedy) => {
    const run = declaring(meta({ ...greedy, retryOn: ['busy_disk'] }))
    await fireTask(run)
    for (let attempt = 1; attempt < 10; attempt++) {
      await (await nextRead(run)).answer(failed())
      expect(run.view().attempt).toBe(attempt + 1)
      await vi.advanceTimersByTimeAsync(249)
      expect(run.connection.count('tools/call')).toBe(attempt)
      await vi.advanceTimersByTimeAsync(60_001)
      await run.connection.last('tools/call').answer(handle())
    }
    await (await nextRead(run)).answer(failed())
    expect(run.view()).toMatchObject({ phase: 'failed', attempt: 10 })
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('socket hang up'))],
    [
      'throws',
      () => {
        throw new Error('socket hang up')
      },
    ],
    ['gives no promise', () => ({ retryPolicy: null }) as never],
  ])('that cannot be read ends the run as it is: asking for it %s', async (_, ask) => {
    const run = declaring(ask)
    await failOnce(run)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { message: busy.message } })
  })

  test('comes too late for a run that is cancelled or let go meanwhile', async () => {
    let say: (meta: JsonObject) => void = () => {}
    const slow = () => new Promise<JsonObject>((resolve) => void (say = resolve))
    const cancelled = declaring(slow)
    await failOnce(cancelled)
    ignore(cancelled.runner.cancel())
    say({ retryPolicy: policy })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(cancelled.connection.count('tools/call')).toBe(1)

    const gone = declaring(slow)
    await failOnce(gone)
    gone.runner.reset()
    say({ retryPolicy: policy })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(gone.view().phase).toBe('idle')
    expect(gone.connection.count('tools/call')).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
