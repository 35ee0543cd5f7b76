import { createActor, type AnyEventObject } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskMachine } from '../src/index.ts'
import { createFakeConnection } from './support/fake-connection.ts'
import { possibleEvents } from './support/possible-events.ts'
import { createReplay, limits, type PathEvent, type PathState } from './support/replay.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// The pure walk runs no actors and has no time of its own: its clock stands still.
const still = { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} }
const machine = createTaskMachine({ ...limits, connection: createFakeConnection({ clock: still }), tool: 'tile_city' })

/** What of the chart's memory tells one state from another. Times and texts do not. */
function essence({ value, context }: PathState) {
  const { task, error, asked, inputRequests, answered, resting, deadlines } = context
  return {
    value,
    status: task?.status ?? null,
    error: error?.kind ?? null,
    asked,
    open: Object.keys(inputRequests),
    answered: Object.entries(answered).map(([key, { sent }]) => `${key} ${sent ? 'sent' : 'unsent'}`),
    resting,
    cancelRequested: context.cancelRequested,
    cancelLanded: context.cancelLanded,
    cancelUnsupported: context.cancelUnsupported,
    confirmed: context.confirmed,
    backingOff: context.backingOff,
    overdue: context.overdue,
    ttlGrace: context.ttlGrace,
    ttl: deadlines.ttl !== null,
    created: context.created,
    calledHere: context.args !== null,
  }
}

/** Longer ones only combine what shorter ones show. */
const longest = 5

const paths = (
  getShortestPaths(machine as never, {
    events: ((state: unknown) => possibleEvents(state as PathState)) as never,
    filterEvents: (state, event) => (state as unknown as PathState).can(event as AnyEventObject),
    serializeState: ((state: unknown) => JSON.stringify(essence(state as PathState))) as never,
    limit: 300_000,
  }) as unknown as readonly { state: PathState; steps: readonly { event: PathEvent }[] }[]
).filter(({ steps }) => steps.length <= longest + 1)

const eventsOf = (path: (typeof paths)[number]) => path.steps.map(({ event }) => event).filter(({ cause }) => cause)

/** Every state that a value stands in, its parents included: `working`, `working.input_required`, … */
function statesOf(value: unknown, parent = ''): string[] {
  if (typeof value === 'string') return [parent + value]
  return Object.entries(value as object).flatMap(([key, inner]) => [
    parent + key,
    ...statesOf(inner, `${parent}${key}.`),
  ])
}
function statesIn(config: { states?: object }, parent = ''): string[] {
  return Object.entries(config.states ?? {}).flatMap(([key, state]) => [
    parent + key,
    ...statesIn(state as { states?: object }, `${parent}${key}.`),
  ])
}

test('the paths reach every state of the chart', () => {
  const reached = new Set(paths.flatMap(({ state }) => statesOf(state.value)))
  expect([...reached].toSorted()).toEqual(statesIn(machine.config as { states?: object }).toSorted())
})

describe('every shortest path holds in the running machine', () => {
  test.each(
    paths.map(
      (path) =>
        [
          eventsOf(path)
            .map(({ label }) => label)
            .join(' → ') || 'nothing',
          path,
        ] as const,
    ),
  )('%s', async (_, path) => {
    const connection = createFakeConnection()
    const actor = createActor(createTaskMachine({ ...limits, connection, tool: 'tile_city' })).start()
    const replay = createReplay(actor as never, connection)
    for (const { cause } of eventsOf(path)) await cause!(replay)
    expect(essence(actor.getSnapshot() as never)).toEqual(essence(path.state))
    actor.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
