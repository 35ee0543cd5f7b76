import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { accepted, completed, elicitation, snapshot } from '../support/fake-connection.ts'
import { stubPage } from '../support/fake-page.ts'
import { createRun, fireTask, ignore, nextRead, stateOf, trouble, type Answer, type Options } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const asking = (...keys: string[]) =>
  snapshot('input_required', { inputRequests: Object.fromEntries(keys.map((key) => [key, elicitation()])) })

async function startAsking(keys: string[], options: Options = {}) {
  const run = createRun(options)
  await fireTask(run)
  await (await nextRead(run)).answer(asking(...keys))
  expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true })
  expect(Object.keys(run.view().inputRequests)).toEqual(keys)
  return run
}

describe('offline with an open prompt', () => {
  test.each([
    ['is still asked', asking('overwrite'), 'input_required', ['overwrite']],
    ['is not asked any more', snapshot(), 'working', []],
  ])('race 23: the prompt stays, nothing is sent, and back online it %s', async (_, answer, phase, keys) => {
    const page = stubPage()
    const run = await startAsking(['overwrite'])
    page.goOffline()
    expect(run.view()).toMatchObject({
      phase: 'input_required',
      detachedBecause: 'offline',
      isStale: true,
      inputRequests: { overwrite: {} },
    })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    page.goOnline()
    await vi.advanceTimersByTimeAsync(0)
    await run.connection.last('tasks/get').answer(answer)
    expect(run.view()).toMatchObject({ phase, detachedBecause: null })
    expect(Object.keys(run.view().inputRequests)).toEqual(keys)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/get'])
  })

  test('race 23: a prompt that comes back by the same key is not brought to `onInputRequired` again', async () => {
    const page = stubPage()
    const onInputRequired = vi.fn<Answer>(() => new Promise<never>(() => {}))
    const run = await startAsking(['overwrite'], { onInputRequired })
    page.goOffline()
    page.goOnline()
    await (await nextRead(run)).answer(asking('overwrite'))
    expect(onInputRequired).toHaveBeenCalledTimes(1)
  })
})

describe('an answer meets the server at a bad moment', () => {
  test('race 32: an answered prompt is still listed after its answer was accepted: it is not shown and not answered again', async () => {
    const run = await startAsking(['overwrite'])
    const responded = run.runner.respond({ overwrite: accepted })
    await run.connection.last('tasks/update').answer({})
    expect(await stateOf(responded)).toBe('resolved')
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
    const told = run.views.length
    await (await nextRead(run)).answer(asking('overwrite'))
    await (await nextRead(run)).answer(asking('overwrite'))
    expect(run.view()).toMatchObject({ phase: 'working', canRespond: false, error: null })
    expect(run.views).toHaveLength(told)
    ignore(run.runner.respond({ overwrite: accepted }))
    expect(run.connection.count('tasks/update')).toBe(1)
  })

  test('race 32: a new prompt beside an answered one is shown alone', async () => {
    const run = await startAsking(['overwrite'])
    ignore(run.runner.respond({ overwrite: accepted }))
    await run.connection.last('tasks/update').answer({})
    await (await nextRead(run)).answer(asking('overwrite', 'style'))
    expect(run.view().phase).toBe('input_required')
    expect(Object.keys(run.view().inputRequests)).toEqual(['style'])
    ignore(run.runner.respond({ style: accepted }))
    expect(run.connection.last('tasks/update').params).toEqual({ taskId: 'tk-1', inputResponses: { style: accepted } })
  })

  test('race 33: another device has answered: the prompt is withdrawn', async () => {
    const run = await startAsking(['overwrite', 'style'])
    await (await nextRead(run)).answer(asking('style'))
    expect(Object.keys(run.view().inputRequests)).toEqual(['style'])
    await (await nextRead(run)).answer(snapshot())
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, canRespond: false })
    ignore(run.runner.respond({ overwrite: accepted, style: accepted }))
    expect(run.connection.count('tasks/update')).toBe(0)
  })

  test('race 33: another device was faster while our answer is on its way: ours is ignored, and the run goes on', async () => {
    const run = await startAsking(['overwrite'])
    const responded = run.runner.respond({ overwrite: accepted })
    run.connection.push('notifications/tasks', snapshot())
    await run.connection.last('tasks/update').answer({})
    expect(await stateOf(responded)).toBe('resolved')
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, error: null })
    await (await nextRead(run)).answer(completed())
    expect(run.view().phase).toBe('completed')
    expect(run.connection.count('tasks/update')).toBe(1)
  })

  test('race 33: the prompt vanishes while our answer is on its way, the answer is lost, and the prompt comes back: it is not stuck', async () => {
    const run = await startAsking(['overwrite'])
    ignore(run.runner.respond({ overwrite: accepted }))
    run.connection.push('notifications/tasks', snapshot())
    await run.connection.last('tasks/update').fail(trouble.reset)
    run.connection.push('notifications/tasks', asking('overwrite'))
    await vi.advanceTimersByTimeAsync(900)
    const isSentAgain = run.connection.count('tasks/update') > 1
    expect(isSentAgain || run.view().canRespond).toBe(true)
  })

  test.each(['acknowledged', 'refused'])(
    'race 34: the task completes before the answer is %s: the result is shown, whatever becomes of the answer',
    async (late) => {
      const run = await startAsking(['overwrite'])
      const responded = run.runner.respond({ overwrite: accepted })
      const update = run.connection.last('tasks/update')
      run.connection.push('notifications/tasks', completed())
      expect(await stateOf(responded)).toBe('resolved')
      const shown = run.view()
      expect(shown).toMatchObject({ phase: 'completed', error: null, inputRequests: {} })
      if (late === 'acknowledged') await update.answer({})
      else await update.fail({ code: -32602, message: 'Task not found' })
      expect(run.view()).toBe(shown)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/update'])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('race 35: the task asks and is answered elsewhere between two reads: nothing is shown', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(snapshot())
    await (await nextRead(run)).answer(snapshot())
    await (await nextRead(run)).answer(completed())
    expect(run.phases()).toEqual(['submitting', 'working', 'completed'])
  })
})
