import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { flat, openKeys, payload, readSays, startAsking } from '../support/augmented.ts'
import { accepted, relatedTo, settle } from '../support/fake-connection.ts'
import { ignore, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A task whose prompt was answered, so that its fetch is known to live. */
async function startAnswered() {
  const started = await startAsking()
  ignore(started.run.runner.respond({ [openKeys(started.run)[0]!]: accepted }))
  await settle()
  expect(started.asked.told).toEqual({ answer: accepted })
  return started
}

describe('a fetch that has brought a prompt is kept open, however long it takes', () => {
  test('the task asks anew, much later: no other fetch, and this one brings the result', async () => {
    const { run, fetch } = await startAnswered()
    for (let n = 0; n < 100; n++) await readSays(run, 'working')
    await readSays(run, 'input_required')
    expect(run.connection.count('tasks/result')).toBe(1)
    await fetch.answer(payload())
    expect(run.view().phase).toBe('completed')
  })

  test('the status lags behind the answer for long: no other fetch', async () => {
    const { run } = await startAnswered()
    for (let n = 0; n < 100; n++) await readSays(run, 'input_required')
    expect(run.connection.count('tasks/result')).toBe(1)
  })
})

describe('it is answered early, with nothing in it', () => {
  test('as some servers do for a cancelled task: a read tells, and it is cancelled', async () => {
    const { run, fetch } = await startAsking()
    await fetch.answer({ _meta: relatedTo('tk-1') })
    expect(run.view().isTerminal).toBe(false)
    await run.connection.last('tasks/get').answer(flat('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, result: null })
  })

  test('and it has completed: that is its result, without a second fetch', async () => {
    const { run, fetch } = await startAsking()
    await fetch.answer({ _meta: relatedTo('tk-1') })
    await run.connection.last('tasks/get').answer(flat('completed'))
    await settle()
    expect(run.view()).toMatchObject({ phase: 'completed', result: { content: [] } })
    expect(run.connection.count('tasks/result')).toBe(1)
  })
})

describe('it is answered when nobody wants to know', () => {
  const answers = [
    ['an error', (fetch: Awaited<ReturnType<typeof startAsking>>['fetch']) => fetch.fail(trouble.internal)],
    ['the result of another task', (fetch) => fetch.answer(payload('foreign tiles', { _meta: relatedTo('tk-2') }))],
  ] satisfies [string, (fetch: Awaited<ReturnType<typeof startAsking>>['fetch']) => Promise<void>][]

  test.each(answers)('%s after detach(): reading rests, so nothing is read', async (_, answer) => {
    const { run, fetch } = await startAsking()
    run.runner.detach()
    await answer(fetch)
    expect(run.connection.count('tasks/get')).toBe(1)
  })

  test.each(answers)('%s after dispose(): nothing is read, and nothing is armed', async (_, answer) => {
    const { run, fetch } = await startAsking()
    run.runner.dispose()
    await answer(fetch)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(answers)(
    '%s after the lifetime has passed: nothing is read for a run that has ended',
    async (_, answer) => {
      const { run, fetch } = await startAsking()
      run.connection.on('tasks/get', () => Promise.reject(trouble.gone))
      await vi.advanceTimersByTimeAsync(1000)
      expect(run.view().phase).toBe('expired')
      const sent = run.connection.wire.length
      await answer(fetch)
      expect(run.connection.wire).toHaveLength(sent)
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})
