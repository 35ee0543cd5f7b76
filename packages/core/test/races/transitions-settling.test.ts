import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, snapshot } from '../support/fake-connection.ts'
import { cancel, createRun, fireTask, ignore, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const push = 'notifications/tasks'
const begin = async () => {
  const run = createRun()
  await fireTask(run, { status: 'completed' })
  return run
}

describe('settling', () => {
  test('cancel: the work is done, so nothing is sent', async () => {
    const run = await begin()
    await run.runner.cancel()
    expect(run.view()).toMatchObject({ phase: 'working', cancelRequested: false, canCancel: false })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
  })

  test('a push that says working changes nothing', async () => {
    const run = await begin()
    const shown = run.view()
    run.connection.push(push, snapshot())
    expect(run.view()).toBe(shown)
  })

  test('a push with the result ends the run at once', async () => {
    const run = await begin()
    run.connection.push(push, completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
  })

  test.each([
    ['its lifetime', { ttlMs: 2500 }, {}],
    ['`maxWait`', {}, { maxWait: 2500 }],
  ])(
    '%s passes while it is cancelled, and the task has ended: its result is still fetched',
    async (_, ttl, options) => {
      const run = createRun(options)
      await fireTask(run, ttl)
      await cancel(run).answer({})
      await vi.advanceTimersByTimeAsync(2500)
      run.connection.push(push, snapshot('completed', ttl))
      await vi.advanceTimersByTimeAsync(1)
      expect(run.view()).toMatchObject({ phase: 'cancelling', isTerminal: false })
      await run.connection.last('tasks/get').answer(completed())
      expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' }, cancelRequested: true })
    },
  )

  test('detached before the result was fetched: there is nothing to cancel, and resuming fetches it', async () => {
    const run = await begin()
    await run.connection.last('tasks/get').fail(trouble.unauthorized)
    expect(run.view()).toMatchObject({ phase: 'detached', canCancel: false })
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({ phase: 'detached', cancelRequested: false })
    expect(run.connection.count('tasks/cancel')).toBe(0)
    ignore(run.runner.resume())
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
  })

  test('the error of failed work is gone: it has failed all the same, in the words of its status', async () => {
    const run = createRun()
    await fireTask(run, { status: 'failed', statusMessage: 'The disk is full' })
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', message: 'The disk is full' } })
  })

  test('no access: detached, and resuming fetches the result', async () => {
    const run = await begin()
    await run.connection.last('tasks/get').fail(trouble.unauthorized)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unauthorized' })
    ignore(run.runner.resume())
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/get'])
  })
})
