import { describe, expect, test, vi } from 'vitest'
import { flat, payload, statusPush, wrapped } from '../support/augmented.ts'
import { accepted, createFakeConnection, elicitation, settle } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, type Run } from '../support/hostile.ts'
import { broken, hour, openKeys, startAnswered, startCall, startWaiting } from './support.ts'

containedTests()

async function startAsked(): Promise<Run> {
  const run = await startWaiting()
  await run.connection.ask(elicitation('one?'), 'tk-1')
  await run.connection.ask(elicitation('two?'), 'tk-1')
  return run
}

/** Where a run may stand when something happens to it. */
const moments: Record<string, () => Promise<Run>> = {
  'while the tool is looked up': () => startCall({}, { taskSupport: () => new Promise(() => {}) }),
  'while the call is out': () => startCall(),
  'while the call asks': async () => {
    const run = await startCall()
    await run.connection.ask(elicitation())
    return run
  },
  'while questions wait for a handle': async () => {
    const run = await startCall()
    await run.connection.ask(elicitation(), 'tk-1')
    await run.connection.ask(elicitation(), 'tk-2')
    return run
  },
  'while the task works': () => startAnswered(wrapped()),
  'while it is read': async () => {
    const run = await startAnswered(wrapped())
    await vi.advanceTimersByTimeAsync(1000)
    return run
  },
  'while its result is fetched early': () => startWaiting(),
  'while people are asked': startAsked,
  'while one of two has been answered': async () => {
    const run = await startAsked()
    await run.runner.respond({ [openKeys(run)[0]!]: accepted })
    return run
  },
  'while it is cancelled': async () => {
    const run = await startAsked()
    ignore(run.runner.cancel())
    await settle()
    return run
  },
  'while its result is fetched': async () => {
    const run = await startWaiting()
    run.connection.push(statusPush, flat('completed'))
    return run
  },
  'while it cannot be reached': async () => {
    const run = await startAsked()
    run.connection.on('tasks/get', () => Promise.reject(broken))
    await vi.advanceTimersByTimeAsync(60_000)
    run.connection.on('tasks/get', undefined)
    return run
  },
  'once it has ended': async () => {
    const run = await startWaiting()
    await run.fetch.answer(payload())
    return run
  },
}

/** What may happen to it. */
const events: Record<string, (run: Run) => unknown> = {
  'is reset': ({ runner }) => runner.reset(),
  'is replaced': ({ runner }) => ignore(runner.fire({ city: 'Oulu' })),
  'is detached': ({ runner }) => runner.detach(),
  'is cancelled': ({ runner }) => ignore(runner.cancel()),
  'is moved to another connection': ({ runner }) =>
    runner.useConnection(createFakeConnection({ generation: '2025-11-25' })),
  'loses its connection': ({ connection }) => connection.close(),
  'is told that it has ended': ({ connection }) => connection.push(statusPush, flat('cancelled')),
  'has everything fail': ({ connection }) => Promise.all(connection.sent.map(({ fail }) => fail(broken))),
  'has everything refused': ({ connection }) =>
    Promise.all(connection.sent.map(({ fail }) => fail({ code: -32603, message: 'no' }))),
  'has everything answered with nothing': ({ connection }) =>
    Promise.all(connection.sent.map(({ answer }) => answer(undefined as never))),
  'has everything answered with a task': ({ connection }) =>
    Promise.all(connection.sent.map(({ answer }) => answer(wrapped()))),
}

describe.each(Object.entries(moments))('%s', (_, start) => {
  test.each(Object.entries(events))(
    'it %s: the view stays clear, and whatever comes late, nothing is left of it',
    async (__, happen) => {
      const run = await start()
      const before = run.connection.count('tools/call')
      await happen(run)
      await settle()
      expectClear(run)
      await vi.advanceTimersByTimeAsync(hour)
      expectClear(run)
      expect(run.connection.count('tools/call')).toBeLessThanOrEqual(before + 1)
      await expectGone(run)
      const sent = run.connection.sent.length
      for (const { answer } of run.connection.sent) await answer(wrapped())
      await vi.advanceTimersByTimeAsync(hour)
      // Nobody follows a handle that comes now: at most it is cancelled, where that was wished.
      expect(run.connection.wire.slice(sent).filter((method) => method !== 'tasks/cancel')).toEqual([])
      expect(run.connection.listeners).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})
