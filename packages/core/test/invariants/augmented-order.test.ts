import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTaskRunner, type JsonObject } from '../../src/index.ts'
import { statusPush } from '../support/augmented.ts'
import { augmentedServer } from '../support/augmented-says.ts'
import { checkGaps } from '../support/gaps.ts'
import { askingOps, schedules } from '../support/ops.ts'
import { says } from '../support/says.ts'
import { createWorld, drain, type World } from '../support/world.ts'

/** How a task can end, and what `tasks/result` says then. */
const ends = [
  { status: 'completed', payload: { result: { content: [{ type: 'text', text: '60 tiles' }] } } },
  { status: 'completed', payload: { result: { content: [{ type: 'text', text: 'disk full' }], isError: true } } },
  { status: 'failed', payload: { result: { content: [{ type: 'text', text: 'disk full' }], isError: true } } },
  { status: 'failed', payload: { error: { code: -32603, message: 'renderer lost', data: { shard: 3 } } } },
  { status: 'cancelled', payload: { error: { code: -32603, message: 'Task was cancelled' } } },
] as const

/** One life of a task, in the order in which the server went through it. */
const histories = fc
  .record({
    middle: fc.array(fc.constantFrom('working', 'input_required', 'paused'), { maxLength: 5 }),
    end: fc.constantFrom(...ends),
    /** s between two snapshots; 0 = the same stamp; `null` = no stamps at all. */
    step: fc.constantFrom(0, 1, null),
    /** Whether a fetch is answered as soon as the task has ended, or only once a read or push has told that. */
    blocks: fc.boolean(),
  })
  .map(({ middle, end, step, blocks }) => ({
    payload: end.payload,
    blocks,
    snapshots: [...middle, end.status].map((status, nth): JsonObject => ({
      taskId: 'tk-1',
      ttl: null,
      pollInterval: 1000,
      status,
      ...(step !== null && { lastUpdatedAt: new Date(1_800_000_000_000 + nth * step * 1000).toISOString() }),
    })),
  }))
type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never

interface Delivery {
  readonly nth: number
  readonly by: 'push' | 'poll' | 'early'
}

const tellings = histories.chain((history) =>
  fc.record({
    history: fc.constant(history),
    deliveries: fc.array(
      fc.record({
        nth: fc.nat(history.snapshots.length - 1),
        by: fc.constantFrom('push', 'poll', 'early'),
      }) as fc.Arbitrary<Delivery>,
      { maxLength: 12 },
    ),
  }),
)

const openOf = (world: World, method: string) => world.open.find((request) => request.method === method)

/** How a run ends that hears of a history in this way; whatever was delivered, in the end reads tell the truth. */
async function outcome({ snapshots, payload, blocks }: History, deliveries: readonly Delivery[]) {
  const world = createWorld(undefined, undefined, '2025-11-25')
  const runner = createTaskRunner({ connection: world, tool: 'tile_city' })
  const isOver = () => runner.getSnapshot().isTerminal
  let told = 0
  runner.subscribe(() => void (isOver() && told++))
  runner.fire().catch(() => {})
  await drain()
  const push = (nth: number) => world.push(statusPush, snapshots[nth])
  const read = async (nth: number) => {
    const { task } = runner.getSnapshot()
    if (isOver() || task?.status === 'completed' || task?.status === 'failed') return
    for (let tries = 0; tries < 70 && !openOf(world, 'tasks/get'); tries++) await world.clock.advance(1000)
    openOf(world, 'tasks/get')?.settle({ result: snapshots[nth] })
    await drain()
  }
  for (const { nth, by } of deliveries) if (by === 'early') push(nth)
  openOf(world, 'tools/call')!.settle({ result: { task: { taskId: 'tk-1', status: 'working', pollInterval: 1000 } } })
  await drain()
  for (const { nth, by } of deliveries) {
    if (by === 'push') push(nth)
    if (by === 'poll') await read(nth)
    await drain()
  }
  if (blocks) openOf(world, 'tasks/result')?.settle(payload)
  await drain()
  await read(snapshots.length - 1)
  openOf(world, 'tasks/result')?.settle(payload)
  await drain()
  const { phase, result, error, confirmed } = runner.getSnapshot()
  runner.dispose()
  await drain()
  expect(told).toBe(1)
  expect(world.listeners).toBe(0)
  expect(world.clock.pending).toBe(0)
  return { phase, result, error: error && { ...error.toJSON(), task: undefined }, confirmed }
}

test('7. pushes and reads of one history of 2025-11-25, in any order, doubled or left out, lead to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(tellings, async ({ history, deliveries }) => {
      const straight = await outcome(
        history,
        history.snapshots.map((_, nth) => ({ nth, by: 'poll' })),
      )
      expect(await outcome(history, deliveries)).toEqual(straight)
    }),
    { numRuns: 400 },
  )
}, 60_000)

test.each([undefined, 1000, 60_000])(
  '6. between two reads of a task of 2025-11-25 lies the interval (%j); only who asks, and a fetch that was answered, may read now',
  async (interval) => {
    const say = says({ interval: fc.constant(interval), ttl: fc.constantFrom(null, undefined) })
    await fc.assert(
      fc.asyncProperty(schedules(askingOps(say)), (schedule) => checkGaps(schedule, interval, false, augmentedServer)),
      { numRuns: 150 },
    )
  },
  60_000,
)
