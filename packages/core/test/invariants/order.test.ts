import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTaskRunner, type JsonObject } from '../../src/index.ts'
import { createWorld, drain, type World } from '../support/world.ts'

const prompts = { k1: { method: 'elicitation/create', params: { message: 'Replace 9 old tiles?' } } }
const ends = [
  { status: 'completed', result: { content: [{ type: 'text', text: '60 tiles' }] } },
  { status: 'completed', result: { content: [{ type: 'text', text: 'disk full' }], isError: true } },
  { status: 'failed', error: { code: -32603, message: 'renderer lost', data: { shard: 3 } } },
  { status: 'cancelled', statusMessage: 'stopped by an operator' },
]

/** One life of a task, in the order in which the server went through it. */
const histories = fc
  .record({
    middle: fc.array(fc.constantFrom('working', 'input_required', 'paused'), { maxLength: 5 }),
    end: fc.constantFrom(...ends),
    /** s between two snapshots; 0 = the same stamp; `null` = no stamps at all. */
    step: fc.constantFrom(0, 1, null),
  })
  .map(({ middle, end, step }): JsonObject[] =>
    [...middle.map((status) => ({ status, ...(status === 'input_required' && { inputRequests: prompts }) })), end].map(
      (snapshot, nth) => ({
        taskId: 'tk-1',
        ttlMs: null,
        pollIntervalMs: 1000,
        ...snapshot,
        ...(step !== null && { lastUpdatedAt: new Date(1_800_000_000_000 + nth * step * 1000).toISOString() }),
      }),
    ),
  )

interface Delivery {
  readonly nth: number
  readonly by: 'push' | 'poll' | 'early'
}

const tellings = histories.chain((history) =>
  fc.record({
    history: fc.constant(history),
    deliveries: fc.array(
      fc.record({
        nth: fc.nat(history.length - 1),
        by: fc.constantFrom('push', 'poll', 'early'),
      }) as fc.Arbitrary<Delivery>,
      { maxLength: 12 },
    ),
  }),
)

async function answerPoll(world: World, snapshot: JsonObject) {
  for (let tries = 0; tries < 70 && world.open.length === 0; tries++) await world.clock.advance(1000)
  world.open[0]?.settle({ result: snapshot })
  await drain()
}

/** How a run ends that hears of a history in this way; whatever was delivered, in the end reads tell the truth. */
async function outcome(history: readonly JsonObject[], deliveries: readonly Delivery[]) {
  const world = createWorld()
  const runner = createTaskRunner({ connection: world, tool: 'tile_city' })
  let told = 0
  runner.subscribe(() => void (runner.getSnapshot().isTerminal && told++))
  runner.fire().catch(() => {})
  await drain()
  const push = (nth: number) => world.push('notifications/tasks', history[nth])
  for (const { nth, by } of deliveries) if (by === 'early') push(nth)
  world.open[0]!.settle({ result: { resultType: 'task', taskId: 'tk-1', status: 'working', pollIntervalMs: 1000 } })
  await drain()
  for (const { nth, by } of deliveries) {
    if (by === 'push') push(nth)
    if (by === 'poll' && !runner.getSnapshot().isTerminal) await answerPoll(world, history[nth]!)
    await drain()
  }
  if (!runner.getSnapshot().isTerminal) await answerPoll(world, history.at(-1)!)
  const { phase, result, error, confirmed, inputRequests } = runner.getSnapshot()
  runner.dispose()
  expect(told).toBe(1)
  expect(world.listeners).toBe(0)
  expect(world.clock.pending).toBe(0)
  return { phase, result, error: error && { ...error.toJSON(), task: undefined }, confirmed, inputRequests }
}

test('7. pushes and reads of one history, in any order, doubled or left out, lead to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(tellings, async ({ history, deliveries }) => {
      const straight = await outcome(
        history,
        history.map((_, nth) => ({ nth, by: 'poll' })),
      )
      expect(await outcome(history, deliveries)).toEqual(straight)
    }),
    { numRuns: 600 },
  )
}, 60_000)
