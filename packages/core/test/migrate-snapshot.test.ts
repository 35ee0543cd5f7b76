import { createActor } from 'xstate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskMachine, migrateSnapshot, toTaskView, type TaskReference } from '../src/index.ts'
import { completed, createFakeConnection, handle, settle } from './support/fake-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = (persisted?: unknown) => {
  const connection = createFakeConnection()
  const machine = createTaskMachine({ connection, tool: 'tile_city' })
  const actor = createActor(machine, persisted ? { snapshot: migrateSnapshot(persisted) as never } : {}).start()
  return { connection, actor, view: () => toTaskView(actor.getSnapshot()) }
}

const persist = (actor: ReturnType<typeof start>['actor']) => {
  const json = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))
  actor.stop()
  return json as { context: Record<string, unknown> }
}

/** As a release persisted it that knew neither versions nor any of these. */
function age({ context, ...rest }: ReturnType<typeof persist>) {
  const { version, overtime, again, mayRetry, mayCancel, isRepeatable, refusal, job, session, principal, ...known } =
    context
  expect(principal).toBeNull()
  expect([version, overtime, refusal]).toEqual([1, false, null])
  expect([again, mayRetry, mayCancel, job, session, isRepeatable]).toEqual([null, null, null, null, null, false])
  return { ...rest, context: known }
}

const phases = {
  idle: async () => {},
  working: async ({ actor, connection }: ReturnType<typeof start>) => {
    actor.send({ type: 'fire' })
    await connection.last('tools/call').answer(handle())
  },
  cancelling: async (run: ReturnType<typeof start>) => {
    await phases.working(run)
    run.actor.send({ type: 'cancel' })
    await settle()
  },
  completed: async (run: ReturnType<typeof start>) => {
    await phases.working(run)
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(completed())
  },
}

describe('a snapshot of an earlier release', () => {
  test.each(Object.entries(phases))('goes on where it was: %s', async (phase, reach) => {
    const before = start()
    await reach(before)
    expect(before.view().phase).toBe(phase)
    const shown = JSON.stringify(before.view())
    const after = start(age(persist(before.actor)))
    await settle()
    expect(JSON.stringify(after.view())).toBe(shown)
    await vi.advanceTimersByTimeAsync(1000)
    expect(after.connection.wire).not.toContain('tools/call')
    if (phase === 'working' || phase === 'cancelling') {
      await after.connection.last('tasks/get').answer(completed())
      expect(after.view().phase).toBe('completed')
    }
  })

  test('is not changed, and is told from one of this release by nothing afterwards', async () => {
    const before = start()
    await phases.working(before)
    const now = persist(before.actor)
    const old = age(now)
    const kept = structuredClone(old)
    const migrated = JSON.parse(JSON.stringify(migrateSnapshot(old)))
    expect(old).toEqual(kept)
    expect(migrated).toEqual(now)
    expect(migrateSnapshot(migrated)).toEqual(migrateSnapshot(now))
  })
})

test('the chart and what it persists name their version', () => {
  const { actor } = start()
  expect(actor.logic.version).toBe('1')
  expect(persist(actor).context['version']).toBe(1)
})

test.each([
  ['nothing', undefined],
  ['text', '{}'],
  ['a list', []],
  ['a reference', { version: 1, protocol: 'extension', endpoint: 'x', tool: 'y', taskId: 'tk-1' }],
  ['a snapshot without memory', { status: 'active', value: 'idle' }],
  ['an actor that has ended', { status: 'done', value: 'idle', context: {} }],
])('what is no snapshot is refused with a sentence: %s', (_, wrong) => {
  expect(() => migrateSnapshot(wrong)).toThrow('Expected a snapshot of the chart')
})

test.each([2, 0, -1, 1.5, '1', null])('a snapshot of version %s is refused with a sentence', (version) => {
  const { actor } = start()
  const { context, ...rest } = persist(actor)
  expect(() => migrateSnapshot({ ...rest, context: { ...context, version } })).toThrow('of version 1 or earlier')
})

test('a run of a release that did not remember the principal is let go as one of the connection', async () => {
  const connection = createFakeConnection({ principal: 'ada' })
  const first = createActor(createTaskMachine({ connection, tool: 'tile_city' })).start()
  first.send({ type: 'fire' })
  await connection.last('tools/call').answer(handle())
  const { context, ...rest } = persist(first)
  const { principal, ...known } = context
  expect(principal).toBe('ada')
  const onOrphan = vi.fn<(reference: TaskReference) => void>()
  const machine = createTaskMachine({ connection, tool: 'tile_city', onOrphan })
  const second = createActor(machine, { snapshot: migrateSnapshot({ ...rest, context: known }) as never }).start()
  second.send({ type: 'fire' })
  expect(onOrphan.mock.calls).toMatchObject([[{ taskId: 'tk-1', principal: 'ada' }]])
  second.stop()
})
