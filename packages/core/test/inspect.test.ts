import { createActor } from 'xstate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskMachine } from '../src/index.ts'
import { accepted, createFakeConnection, elicitation, handle, settle, snapshot } from './support/fake-connection.ts'
import { ignore, startRun } from './support/hostile.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Ref {
  readonly id: string
  readonly sessionId: string
  readonly logic?: { readonly config?: { readonly id?: string } }
  readonly _parent?: Ref
  getSnapshot(): { readonly status: string; readonly value?: unknown; readonly context?: Record<string, unknown> }
}
interface Inspected {
  readonly type: string
  readonly rootId: string
  readonly actorRef: Ref
  readonly sourceRef?: Ref
  readonly event?: { readonly type: string }
  readonly snapshot?: ReturnType<Ref['getSnapshot']>
}

/** A run with everything in it that is nobody else's business. */
async function wholeRun(options: object) {
  const run = startRun(options)
  ignore(run.runner.fire({ city: 'SECRET-argument' }, { meta: { trace: 'SECRET-meta' } }))
  const { connection } = run
  await connection.last('tools/call').answer({
    resultType: 'input_required',
    inputRequests: { 'SECRET-key': elicitation('SECRET-prompt') },
    requestState: 'SECRET-state',
  })
  ignore(run.runner.respond({ 'SECRET-key': { ...accepted, content: 'SECRET-answer' } }))
  connection.last('tools/call').options.onProgress?.({ progress: 1, total: 2, message: 'SECRET-progress' })
  await connection
    .last('tools/call')
    .answer(handle({ taskId: 'SECRET-id', statusMessage: 'SECRET-text', _meta: { x: 'SECRET-handle-meta' } }))
  await vi.advanceTimersByTimeAsync(1000)
  await connection.last('tasks/get').fail({ code: -32603, message: 'SECRET-message', data: { x: 'SECRET-data' } })
  await vi.advanceTimersByTimeAsync(1000)
  const asked = { k1: elicitation('SECRET-prompt') }
  await connection.last('tasks/get').answer(snapshot('input_required', { taskId: 'SECRET-id', inputRequests: asked }))
  ignore(run.runner.respond({ k1: { ...accepted, content: 'SECRET-answer' } }))
  await connection.last('tasks/update').answer({})
  ignore(run.runner.cancel())
  await connection.last('tasks/cancel').answer({})
  const result = { content: [{ type: 'text', text: 'SECRET-result' }], structuredContent: { x: 'SECRET-structured' } }
  connection.push('notifications/tasks', snapshot('completed', { taskId: 'SECRET-id', result }))
  await settle()
  expect(run.view().phase).toBe('completed')
  return run
}

/** Everything that can be read of events, as the inspector of the editor reads them: the refs too. */
const readable = (events: readonly Inspected[]) =>
  events.map(({ actorRef, sourceRef, ...event }) => ({
    ...event,
    actor: actorRef.getSnapshot(),
    actorId: [actorRef.id, actorRef.sessionId, actorRef._parent?.sessionId],
    source: sourceRef && [sourceRef.sessionId, sourceRef.getSnapshot()],
  }))

describe('observing a run', () => {
  test.each([
    ['a function', (next: (event: unknown) => void) => next],
    ['an observer', (next: (event: unknown) => void) => ({ next })],
  ])('%s is told of actors, events and snapshots, in order', async (_, observe) => {
    const events: Inspected[] = []
    const run = await wholeRun({ inspect: observe((event) => void events.push(event as Inspected)) })
    const types = new Set(events.map(({ type }) => type))
    expect(types).toContain('@xstate.actor')
    expect(types).toContain('@xstate.event')
    expect(types).toContain('@xstate.snapshot')
    expect(events[0]?.type).toBe('@xstate.actor')
    const root = events[0]!.actorRef
    const values = events
      .filter(({ type, actorRef }) => type === '@xstate.snapshot' && actorRef === root)
      .map(({ snapshot: given }) => JSON.stringify(given?.value))
    expect([...new Set(values)]).toEqual(
      expect.arrayContaining([
        '"idle"',
        '{"submitting":"sending"}',
        '{"submitting":"prompting"}',
        '{"working":"watching"}',
        '{"working":{"input_required":"open"}}',
        '{"working":{"input_required":"answering"}}',
        '"cancelling"',
        '{"terminal":"completed"}',
      ]),
    )
    expect(events.map(({ event }) => event?.type)).toEqual(
      expect.arrayContaining(['fire', 'respond', 'poll.news', 'poll.trouble', 'cancel']),
    )
    run.runner.dispose()
  })

  test('an observer without `next` is no trouble', async () => {
    const run = await wholeRun({ inspect: {} })
    run.runner.dispose()
  })

  test('nothing of the user is in it: no argument, state, answer, result, text or id', async () => {
    const events: Inspected[] = []
    const run = await wholeRun({ inspect: (event: unknown) => void events.push(event as Inspected) })
    const text = JSON.stringify(readable(events))
    expect(text.match(/SECRET-[a-z-]+/g)).toBeNull()
    expect(text).toContain('[redacted]')
    expect(text).toContain('"epoch":1')
    expect(text).toContain('"status":"input_required"')
    run.runner.dispose()
  })

  test('the refs lead to no raw actor', async () => {
    const events: Inspected[] = []
    const run = await wholeRun({ inspect: (event: unknown) => void events.push(event as Inspected) })
    const seen = new Set<unknown>()
    const look = (value: unknown, depth = 0): void => {
      if (typeof value !== 'object' || value === null || seen.has(value) || depth > 20) return
      seen.add(value)
      expect(value).not.toBe(run.runner.actor)
      for (const key of Reflect.ownKeys(value)) look((value as Record<PropertyKey, unknown>)[key], depth + 1)
    }
    for (const event of events) look(event)
    expect(seen.size).toBeGreaterThan(events.length)
    run.runner.dispose()
  })

  test('with `inspectPayloads` everything is in it', async () => {
    const events: Inspected[] = []
    const run = await wholeRun({
      inspect: (event: unknown) => void events.push(event as Inspected),
      inspectPayloads: true,
    })
    const text = JSON.stringify(events.map(({ event }) => event ?? null))
    for (const secret of ['argument', 'answer', 'result', 'id', 'state', 'message'])
      expect(text).toContain(`SECRET-${secret}`)
    expect(events[0]!.actorRef).toBe(run.runner.actor)
    run.runner.dispose()
  })

  test('refs are the same object each time, with stable ids and parents', async () => {
    const events: Inspected[] = []
    const run = await wholeRun({ inspect: (event: unknown) => void events.push(event as Inspected) })
    const bySession = new Map<string, Ref>()
    for (const { actorRef } of events) {
      expect(bySession.get(actorRef.sessionId) ?? actorRef).toBe(actorRef)
      bySession.set(actorRef.sessionId, actorRef)
    }
    const root = events[0]!.actorRef
    const children = [...bySession.values()].filter((ref) => ref !== root)
    expect(children.map(({ id }) => id)).toEqual(expect.arrayContaining(['submit', 'poll', 'deadline', 'cancel']))
    for (const child of children) expect(child._parent).toBe(root)
    for (const { rootId } of events) expect(rootId).toBe(root.sessionId)
    run.runner.dispose()
  })

  test('two runners have refs of their own', async () => {
    const firsts: Inspected[] = []
    const seconds: Inspected[] = []
    const one = await wholeRun({ inspect: (event: unknown) => void firsts.push(event as Inspected) })
    const two = await wholeRun({ inspect: (event: unknown) => void seconds.push(event as Inspected) })
    expect(firsts[0]!.actorRef.sessionId).not.toBe(seconds[0]!.actorRef.sessionId)
    one.runner.dispose()
    two.runner.dispose()
  })
})

describe('the definition', () => {
  test('reaches observers, and survives JSON whole: it holds no function', async () => {
    const events: Inspected[] = []
    const run = await wholeRun({ inspect: (event: unknown) => void events.push(event as Inspected) })
    const { config } = events[0]!.actorRef.logic!
    expect(config?.id).toBe('task')
    expect(JSON.parse(JSON.stringify(config))).toEqual(withoutUndefined(config))
    const functions: string[] = []
    const look = (value: unknown, path: string): void => {
      if (typeof value === 'function') functions.push(path)
      if (typeof value === 'object' && value !== null)
        for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`)
    }
    look(config, 'config')
    expect(functions).toEqual([])
    run.runner.dispose()
  })

  test('names the states, guards, actions and actors that the machine has', () => {
    const machine = createTaskMachine({ connection: createFakeConnection(), tool: 'tile_city' })
    const config = JSON.parse(JSON.stringify(machine.config)) as { states: Record<string, unknown> }
    expect(Object.keys(config.states)).toEqual(['idle', 'submitting', 'working', 'cancelling', 'terminal'])
    const named = { guard: new Set<string>(), src: new Set<string>(), actions: new Set<string>() }
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'guard' || key === 'src') named[key].add(inner as string)
        else if (key === 'actions' || key === 'entry' || key === 'exit')
          for (const action of [inner].flat())
            named.actions.add((action as { type?: string }).type ?? (action as string))
        look(inner)
      }
    }
    look(config)
    const { guards, actors, actions } = machine.implementations
    for (const name of named.guard) expect(guards).toHaveProperty(name)
    for (const name of named.src) expect(actors).toHaveProperty(name)
    for (const name of named.actions) expect(actions).toHaveProperty(name)
    // And nothing is defined that the chart does not use.
    expect(Object.keys(guards).filter((name) => !named.guard.has(name))).toEqual([])
    expect(Object.keys(actors).filter((name) => !named.src.has(name))).toEqual([])
    expect(Object.keys(actions).filter((name) => !named.actions.has(name))).toEqual([])
  })

  test('a bare actor can be inspected by whoever made it', async () => {
    const types: string[] = []
    const machine = createTaskMachine({ connection: createFakeConnection(), tool: 'tile_city' })
    const actor = createActor(machine, { inspect: ({ type }) => types.push(type) }).start()
    actor.send({ type: 'fire' })
    expect(types).toContain('@xstate.snapshot')
    actor.stop()
  })
})

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner)]))
}
