import { createActor, fromPromise, setup, waitFor } from 'xstate'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withRetry, type RetryPlan } from '../../src/actors/with-retry.ts'
import { settle } from '../support/fake-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const clock = {
  now: () => Date.now(),
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
  clearTimeout: (id: unknown) => clearTimeout(id as never),
}
const plan = (delay: RetryPlan['delay']) => () => ({ clock, delay })

/** Promise logic that fails so often, and what it was called with. */
function failing(times: number) {
  const calls: unknown[] = []
  const logic = fromPromise<string, unknown>(({ input, signal }) => {
    calls.push(input)
    signal.addEventListener('abort', () => calls.push('aborted'))
    return calls.length <= times
      ? Promise.reject({ code: -32603, message: `no ${calls.length}` })
      : Promise.resolve('yes')
  })
  return { calls, logic: logic as never as ReturnType<typeof fromPromise<string>> }
}

test('what succeeds at once is not repeated', async () => {
  const { calls, logic } = failing(0)
  const actor = createActor(
    withRetry(
      logic,
      plan(() => 1000),
    ),
  ).start()
  await settle()
  expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: 'yes' })
  expect(calls).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('what fails is repeated after the wait, and its success is the only thing that shows', async () => {
  const { calls, logic } = failing(2)
  const seen: string[] = []
  const failures: number[] = []
  const retried = withRetry(
    logic,
    plan((failure, nth) => {
      failures.push(nth)
      expect(failure).toMatchObject({ sort: 'transient', message: `no ${nth}` })
      return 1000 * nth
    }),
  )
  const actor = createActor(retried)
  actor.subscribe({ next: ({ status }) => seen.push(status), error: () => seen.push('threw') })
  actor.start()
  await vi.advanceTimersByTimeAsync(999)
  expect(calls).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(calls).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1999)
  expect(calls).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: 'yes' })
  expect(failures).toEqual([1, 2])
  expect(seen).not.toContain('error')
  expect(seen).not.toContain('threw')
  expect(seen.filter((status) => status === 'done')).toHaveLength(1)
})

test('it gives up when the plan says so, with the last failure', async () => {
  const { calls, logic } = failing(Infinity)
  const actor = createActor(
    withRetry(
      logic,
      plan((_, nth) => (nth < 3 ? 10 : null)),
    ),
  )
  let error: unknown
  actor.subscribe({ error: (given) => (error = given) })
  actor.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(calls).toHaveLength(3)
  expect(actor.getSnapshot().status).toBe('error')
  expect(error).toMatchObject({ message: 'no 3', sort: 'transient' })
  expect(vi.getTimerCount()).toBe(0)
})

test('stopping while it waits ends the wait, and nothing is repeated', async () => {
  const { calls, logic } = failing(Infinity)
  const actor = createActor(
    withRetry(
      logic,
      plan(() => 1000),
    ),
  ).start()
  await settle()
  expect(vi.getTimerCount()).toBe(1)
  actor.stop()
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(calls).toHaveLength(1)
})

test('stopping while it tries aborts the try', async () => {
  const calls: string[] = []
  const logic = fromPromise<string>(({ signal }) => {
    signal.addEventListener('abort', () => calls.push('aborted'))
    return new Promise(() => {})
  })
  const actor = createActor(
    withRetry(
      logic,
      plan(() => 1000),
    ),
  ).start()
  actor.stop()
  await settle()
  expect(calls).toEqual(['aborted'])
})

test.each([1, 2])('logic that throws at try %i instead of rejecting ends the actor with that error', async (nth) => {
  let calls = 0
  const logic = fromPromise<string>(() => {
    calls++
    if (calls === nth) throw new Error('no promise')
    return Promise.reject(new Error('no'))
  })
  const actor = createActor(
    withRetry(
      logic,
      plan(() => 10),
    ),
  )
  let error: unknown
  actor.subscribe({ error: (given) => (error = given) })
  actor.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(calls).toBe(nth)
  expect(actor.getSnapshot().status).toBe('error')
  expect(error).toMatchObject({ message: 'no promise' })
  expect(vi.getTimerCount()).toBe(0)
})

test('every actor counts its own failures', async () => {
  const seen: number[] = []
  const logic = withRetry(
    failing(Infinity).logic,
    plan((_, nth) => {
      seen.push(nth)
      return nth < 2 ? 10 : null
    }),
  )
  for (let i = 0; i < 2; i++)
    createActor(logic)
      .start()
      .subscribe({ error: () => {} })
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen.toSorted()).toEqual([1, 1, 2, 2])
})

const invoking = (logic: ReturnType<typeof withRetry<string>>) =>
  setup({ actors: { work: logic } }).createMachine({
    initial: 'busy',
    states: {
      busy: { invoke: { id: 'work', src: 'work', onDone: 'done', onError: 'failed' }, on: { stop: 'stopped' } },
      done: {},
      failed: {},
      stopped: {},
    },
  })

test('in a chart it is one actor that succeeds or fails once', async () => {
  const good = createActor(
    invoking(
      withRetry(
        failing(2).logic,
        plan(() => 10),
      ),
    ),
  ).start()
  const bad = createActor(
    invoking(
      withRetry(
        failing(9).logic,
        plan((_, nth) => (nth < 3 ? 10 : null)),
      ),
    ),
  ).start()
  await vi.advanceTimersByTimeAsync(100)
  expect((await waitFor(good, (snapshot) => snapshot.matches('done'))).value).toBe('done')
  expect(bad.getSnapshot().value).toBe('failed')
})

test('leaving the state while it waits leaves no timer', async () => {
  const { calls, logic } = failing(9)
  const actor = createActor(
    invoking(
      withRetry(
        logic,
        plan(() => 1000),
      ),
    ),
  ).start()
  await settle()
  actor.send({ type: 'stop' })
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(calls).toHaveLength(1)
})

test('saved while it waits and restored elsewhere, it tries again and ends', async () => {
  const before = failing(9)
  const actor = createActor(
    invoking(
      withRetry(
        before.logic,
        plan(() => 1000),
      ),
    ),
  ).start()
  await settle()
  const saved = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))
  actor.stop()
  expect(vi.getTimerCount()).toBe(0)
  const after = failing(1)
  const restored = createActor(
    invoking(
      withRetry(
        after.logic,
        plan(() => 1000),
      ),
    ),
    { snapshot: saved },
  ).start()
  await vi.advanceTimersByTimeAsync(2000)
  expect(before.calls).toHaveLength(1)
  expect(after.calls).toHaveLength(2)
  expect(restored.getSnapshot().value).toBe('done')
})
