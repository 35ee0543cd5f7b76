import { expect, test, vi } from 'vitest'
import { hubOf } from '../src/connection/hub.ts'
import { createTaskRunner, type TaskOptions } from '../src/index.ts'
import { completed, createFakeConnection, handle, settle, snapshot } from './support/fake-connection.ts'
import { countHeld, heapInUse } from './support/heap.ts'
import { stubPage } from './support/fake-page.ts'
import { containedTests, ignore } from './support/hostile.ts'

containedTests()

const runs = 1000
const kilobyte = 1024

const taskIds = Array.from({ length: runs }, (_, nth) => `tk-${nth}`)

/** A server that makes a task of each call, with the id that its arguments name. */
function serve(over: Parameters<typeof createFakeConnection>[0] = {}) {
  const connection = createFakeConnection(over)
  connection.on('tools/call', ({ arguments: args }) => handle(args as { taskId: string }))
  connection.on('tasks/cancel', () => ({ resultType: 'complete' }))
  return connection
}
type Connection = ReturnType<typeof serve>

const start = (connection: Connection, taskId: string, options: Partial<TaskOptions> = {}) => {
  const runner = createTaskRunner({ connection, tool: 'tile_city', ...options })
  const leave = runner.subscribe(() => {})
  ignore(runner.fire({ taskId }))
  return { runner, leave }
}

/** Runs that end, each in its own way; nobody disposes of them. */
async function runToTheEnd(connection: Connection) {
  connection.on('tasks/get', ({ taskId }) => ({ ...completed(), taskId }))
  const held: WeakRef<object>[] = []
  for (const taskId of taskIds) {
    const { runner, leave } = start(connection, taskId)
    held.push(new WeakRef(runner.actor as object))
    await settle()
    if (held.length % 4 === 1) ignore(runner.cancel())
    if (held.length % 4 === 2) runner.reset()
    if (held.length % 4 === 3) runner.detach()
    if (held.length % 4 !== 3) await vi.advanceTimersByTimeAsync(1000)
    expect(runner.getSnapshot().phase).toBe(['completed', 'completed', 'idle', 'working'][held.length % 4])
    leave()
    await settle()
  }
  connection.sent.length = 0
  return held
}

test('a thousand runs on one connection leave no listener, timer, map entry or memory', async () => {
  const connection = serve()
  const held = await runToTheEnd(connection)
  const before = await heapInUse()
  held.push(...(await runToTheEnd(connection)))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(connection.listeners).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  const after = await heapInUse()
  expect(await countHeld(held)).toBeLessThanOrEqual(1)
  // One runner alone is more than ten kilobytes.
  expect((after - before) / runs).toBeLessThan(kilobyte)
  // The last reader may still hold back a read that would come too early; the next run lets it go.
  const { runner } = start(connection, 'last')
  await settle()
  runner.dispose()
  for (const taskId of taskIds) expect(hubOf(connection).find(taskId)).toBeUndefined()
})

test.each([
  ['are let go, however many', {}],
  [
    'and that are kept in a storage are let go as well',
    { storage: { getItem: () => null, setItem() {}, removeItem() {} } },
  ],
])('runs that everybody has left while they go on %s', async (_, options: Partial<TaskOptions>) => {
  const page = stubPage()
  const connection = serve()
  connection.on('tasks/get', ({ taskId }) => ({ ...snapshot(), taskId }))
  const held: WeakRef<object>[] = []
  for (const taskId of taskIds) {
    const { runner, leave } = start(connection, taskId, options)
    held.push(new WeakRef(runner.actor as object))
    await vi.advanceTimersByTimeAsync(1000)
    leave()
    await settle()
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: 'unmounted' })
  }
  connection.sent.length = 0
  expect(connection.listeners).toBe(0)
  expect(page.listeners).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  expect(await countHeld(held)).toBeLessThanOrEqual(1)
  vi.unstubAllGlobals()
})
