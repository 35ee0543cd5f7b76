import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { augmented, HostCapabilityError } from '../../src/index.ts'
import { createAugmentedRun, wrapped } from '../support/augmented.ts'
import { settle, toolResult } from '../support/fake-connection.ts'
import { ignore, stateOf, trouble, type Options } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Support = 'required' | 'optional' | 'forbidden'

/** A run that has been fired, while the list of tools is still awaited. */
function fireUnlisted(options: Options = {}) {
  const lists: { resolve(support: Support): void; reject(error: object): void }[] = []
  const taskSupport = () => new Promise<Support>((resolve, reject) => void lists.push({ resolve, reject }))
  const run = createAugmentedRun({ submitTimeout: 5000, ...options }, { taskSupport })
  const fired = run.runner.fire({ city: 'Turku' })
  ignore(fired)
  return { run, fired, lists }
}

/** The list comes after all, and later everything else that could still happen. */
async function listLate(lists: ReturnType<typeof fireUnlisted>['lists']) {
  for (const list of lists) list.resolve('required')
  await settle()
  await vi.advanceTimersByTimeAsync(600_000)
}

describe('what a tool supports cannot be found out: it is not called', () => {
  test.each([
    ['the connection breaks', trouble.reset, 'not-sent', true],
    ['nobody is there', trouble.unsent, 'not-sent', true],
    ['the server is busy', trouble.busy, 'not-sent', true],
    ['the server fails', trouble.internal, 'not-sent', true],
    ['the session is gone', { status: 404, code: -32001, message: 'Session not found' }, 'not-sent', true],
    ['nobody is let in', trouble.unauthorized, 'unauthorized', true],
    ['the client is too old', { reason: 'unsupported', message: 'Too old for tasks' }, 'unsupported', false],
  ])('%s', async (_, failure, kind, retryable) => {
    const { run, fired, lists } = fireUnlisted({ idempotent: true })
    lists[0]!.reject(failure)
    await expect(fired).rejects.toMatchObject({ kind, message: failure.message, retryable })
    expect(run.view()).toMatchObject({ phase: 'failed', task: null, attempt: 1, error: { kind } })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual([])
    expect(lists).toHaveLength(1)
    expect(run.phases()).toEqual(['submitting', 'failed'])
    expect(vi.getTimerCount()).toBe(0)
    expect(run.connection.listeners).toBe(0)
  })

  test('and firing again asks again', async () => {
    const { run, fired, lists } = fireUnlisted()
    lists[0]!.reject(trouble.reset)
    await stateOf(fired)
    expect(run.view().canRetry).toBe(true)
    ignore(run.runner.retry())
    lists[1]!.resolve('required')
    await settle()
    expect(run.connection.last('tools/call').params['task']).toEqual({})
  })

  test('a policy that runs the work again asks again, after its break', async () => {
    const retryPolicy = { maxAttempts: 2, baseDelayMs: 1000 }
    const { run, lists } = fireUnlisted({ idempotent: true, retryPolicy })
    lists[0]!.reject(trouble.reset)
    await vi.advanceTimersByTimeAsync(999)
    expect(lists).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    lists[1]!.resolve('optional')
    await settle()
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(run.view()).toMatchObject({ phase: 'submitting', attempt: 2 })
  })
})

describe('a server that lists no tools has none that may become a task', () => {
  test('by `auto` the call is plain', async () => {
    const { run, lists } = fireUnlisted()
    lists[0]!.reject(trouble.unknownMethod)
    await settle()
    expect(run.connection.last('tools/call').params).toEqual({ name: 'tile_city', arguments: { city: 'Turku' } })
    await run.connection.last('tools/call').answer(toolResult())
    expect(run.view().phase).toBe('completed')
  })

  test('who demands a task gets none, with nothing called', async () => {
    const { run, fired, lists } = fireUnlisted({ protocol: augmented() })
    lists[0]!.reject(trouble.unknownMethod)
    await expect(fired).rejects.toBeInstanceOf(HostCapabilityError)
    expect(run.connection.wire).toEqual([])
  })
})

describe('the list of tools takes long', () => {
  test('too long: the call is given up, was not made, and is not made later', async () => {
    const { run, fired, lists } = fireUnlisted({ idempotent: true })
    await vi.advanceTimersByTimeAsync(4999)
    expect(run.view().phase).toBe('submitting')
    await vi.advanceTimersByTimeAsync(1)
    await expect(fired).rejects.toMatchObject({ kind: 'not-sent', retryable: true })
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'not-sent' } })
    await listLate(lists)
    expect(run.connection.wire).toEqual([])
    expect(run.phases()).toEqual(['submitting', 'failed'])
    expect(run.connection.listeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('cancelled meanwhile: nothing runs, which is certain, and the call is not made', async () => {
    const { run, fired, lists } = fireUnlisted()
    const cancelled = run.runner.cancel()
    await settle()
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true, error: { kind: 'cancelled' } })
    expect(await stateOf(cancelled)).toBe('resolved')
    expect(await stateOf(fired)).toBe('rejected: cancelled')
    await listLate(lists)
    expect(run.connection.wire).toEqual([])
    expect(run.connection.listeners).toBe(0)
  })

  test.each(['reset', 'dispose'] as const)('%s meanwhile: the call is not made', async (verb) => {
    const { run, fired, lists } = fireUnlisted()
    run.runner[verb]()
    expect(await stateOf(fired)).toBe('rejected: superseded')
    await listLate(lists)
    expect(run.connection.wire).toEqual([])
    expect(run.orphans).toEqual([])
    expect(run.connection.listeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    expect(run.phases()).not.toContain('detached')
  })

  test('reset, and then the list fails: nobody is told', async () => {
    const { run, lists } = fireUnlisted()
    run.runner.reset()
    lists[0]!.reject(trouble.reset)
    await settle()
    expect(run.view()).toMatchObject({ phase: 'idle', error: null })
  })

  test('fired again meanwhile: only the newer call is made', async () => {
    const { run, fired, lists } = fireUnlisted()
    ignore(run.runner.fire({ city: 'Oulu' }))
    await settle()
    await listLate(lists)
    expect(run.connection.sent.map(({ params }) => params['arguments'])).toEqual([{ city: 'Oulu' }])
    expect(await stateOf(fired)).toBe('rejected: superseded')
  })

  test('`maxWait` passes meanwhile, and then the list comes: the call was not made, and is not', async () => {
    const { run, lists } = fireUnlisted({ maxWait: 1000 })
    await vi.advanceTimersByTimeAsync(1000)
    await listLate(lists)
    expect(run.connection.wire).toEqual([])
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'not-sent' } })
  })

  test('`maxWait` passes meanwhile: the call was not made, which nobody calls lost', async () => {
    const { run, fired } = fireUnlisted({ maxWait: 1000 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(['not-sent', 'timeout']).toContain(run.view().error?.kind)
    expect(['rejected: not-sent', 'rejected: timeout']).toContain(await stateOf(fired))
    expect(run.connection.wire).toEqual([])
  })

  test('unmounted meanwhile: the call is made all the same, since it was wished', async () => {
    const { run, lists } = fireUnlisted()
    run.unwatch()
    await settle()
    lists[0]!.resolve('required')
    await settle()
    expect(run.connection.wire).toEqual(['tools/call'])
    await run.connection.last('tools/call').answer(wrapped())
    expect(run.runner.reference).toMatchObject({ taskId: 'tk-1', protocol: 'augmented' })
  })
})
