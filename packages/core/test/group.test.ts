import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskGroup, type TaskGroup, type TaskView } from '../src/index.ts'
import {
  accepted,
  completed,
  createFakeConnection,
  elicitation,
  handle,
  settle,
  snapshot,
  toolResult,
  type FakeConnection,
} from './support/fake-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const phasesOf = (group: TaskGroup) => group.getSnapshot().views.map(({ phase }) => phase)

/** A server that makes a task of each call, whose id is the tool's name. */
function createServer(over = {}): FakeConnection {
  const connection = createFakeConnection(over)
  connection.on('tools/call', ({ name }) => handle({ taskId: name }))
  connection.on('tasks/get', ({ taskId }) => snapshot('working', { taskId }))
  return connection
}
const tasks = (connection: FakeConnection, answers: Record<string, object>) =>
  connection.on('tasks/get', ({ taskId }) => ({ ...snapshot('working'), ...answers[String(taskId)], taskId }))

test('four bookings at once: one is done, one fails, one is cancelled, one asks first; all settle', async () => {
  const connection = createServer()
  const group = createTaskGroup({ connection })
  group.subscribe(() => {})
  const runners = ['flight', 'hotel', 'car', 'table'].map((tool) => group.fire(tool, { city: 'Turku' }))
  const settled = vi.fn<(views: readonly TaskView[]) => void>()
  void group.settled().then(settled)
  await settle()
  expect(connection.count('tools/call')).toBe(4)
  expect(group.getSnapshot().counts).toMatchObject({ working: 4, completed: 0 })

  connection.on('tasks/cancel', () => ({}))
  void runners[2]!.cancel()
  tasks(connection, {
    flight: completed('booked'),
    hotel: { status: 'failed', error: { code: -32603, message: 'No rooms.' } },
    car: { status: 'cancelled' },
    table: { status: 'input_required', inputRequests: { when: elicitation('When?') } },
  })
  await vi.advanceTimersByTimeAsync(1000)
  expect(phasesOf(group)).toEqual(['completed', 'failed', 'cancelled', 'input_required'])
  expect(settled).not.toHaveBeenCalled()

  connection.on('tasks/update', () => ({}))
  await runners[3]!.respond({ when: accepted })
  tasks(connection, { table: completed('table for two') })
  await vi.advanceTimersByTimeAsync(1000)
  expect(settled).toHaveBeenCalledOnce()
  expect(settled.mock.calls[0]![0].map(({ phase }) => phase)).toEqual(['completed', 'failed', 'cancelled', 'completed'])
  expect(group.getSnapshot()).toMatchObject({ percent: 100, counts: { completed: 2, failed: 1, cancelled: 1 } })
  expect(vi.getTimerCount()).toBe(0)
})

describe('maxConcurrent', () => {
  test('nothing is sent for a call that has no room; it shows that it was fired', async () => {
    const connection = createServer()
    const group = createTaskGroup({ connection, maxConcurrent: 2 })
    for (const tool of ['a', 'b', 'c', 'd']) group.fire(tool)
    await settle()
    expect(connection.sent.map(({ params }) => params['name'])).toEqual(['a', 'b'])
    expect(phasesOf(group)).toEqual(['working', 'working', 'submitting', 'submitting'])
    // Waiting for room is not waiting for the server.
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(phasesOf(group)).toEqual(['working', 'working', 'submitting', 'submitting'])

    tasks(connection, { b: completed() })
    await vi.advanceTimersByTimeAsync(1000)
    expect(phasesOf(group)).toEqual(['working', 'completed', 'working', 'submitting'])
    tasks(connection, { a: completed(), c: completed(), d: completed() })
    await vi.advanceTimersByTimeAsync(3000)
    expect(phasesOf(group)).toEqual(['completed', 'completed', 'completed', 'completed'])
    expect(connection.count('tools/call')).toBe(4)
  })

  test('a call that ends in trouble, or is reset, makes room', async () => {
    const connection = createServer()
    const group = createTaskGroup({ connection, maxConcurrent: 1, submitTimeout: 5000 })
    connection.on('tools/call', undefined)
    const [first, second] = [group.fire('a'), group.fire('b'), group.fire('c')]
    await vi.advanceTimersByTimeAsync(5000)
    expect(first!.getSnapshot()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    expect(connection.last('tools/call').params['name']).toBe('b')
    second!.reset()
    await settle()
    expect(connection.last('tools/call').params['name']).toBe('c')
    expect(connection.count('tools/call')).toBe(3)
  })

  test('cancelling and resetting what waits sends nothing, and nothing was running', async () => {
    const connection = createServer()
    connection.on('tasks/cancel', () => ({}))
    const group = createTaskGroup({ connection, maxConcurrent: 1 })
    const [, second, third, fourth] = ['a', 'b', 'c', 'd'].map((tool) => group.fire(tool))
    await second!.cancel()
    third!.reset()
    fourth!.dispose()
    expect(second!.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true })
    tasks(connection, { a: completed() })
    await vi.advanceTimersByTimeAsync(2000)
    expect(connection.count('tools/call')).toBe(1)
    expect(connection.wire).not.toContain('tasks/cancel')
  })

  test('a call that waited longer than maxWait was not lost: it was not made', async () => {
    const connection = createServer()
    const group = createTaskGroup({ connection, maxConcurrent: 1 })
    group.fire('a')
    const second = group.fire('b', {}, { maxWait: 3000 })
    await vi.advanceTimersByTimeAsync(3000)
    expect(second.getSnapshot()).toMatchObject({ phase: 'failed', error: { kind: 'not-sent' } })
    tasks(connection, { a: completed() })
    await vi.advanceTimersByTimeAsync(2000)
    expect(connection.count('tools/call')).toBe(1)
  })

  test('running failed work again waits for room like any other call', async () => {
    const connection = createServer()
    const group = createTaskGroup({ connection, maxConcurrent: 1 })
    connection.on('tools/call', ({ name }) =>
      name === 'a' ? toolResult('no', { isError: true }) : handle({ taskId: name }),
    )
    const first = group.fire('a')
    group.fire('b')
    await settle()
    expect(phasesOf(group)).toEqual(['failed', 'working'])
    const again = first.retry()
    again.catch(() => {})
    await settle()
    expect(phasesOf(group)).toEqual(['submitting', 'working'])
    tasks(connection, { b: completed() })
    await vi.advanceTimersByTimeAsync(1000)
    expect(connection.sent.filter(({ method }) => method === 'tools/call').map(({ params }) => params['name'])).toEqual(
      ['a', 'b', 'a'],
    )
  })
})

test('cancelAll asks once for each that runs, and for none that has ended', async () => {
  const connection = createServer()
  connection.on('tasks/cancel', () => ({}))
  const group = createTaskGroup({ connection, maxConcurrent: 2 })
  for (const tool of ['a', 'b', 'c']) group.fire(tool)
  tasks(connection, { a: completed() })
  await vi.advanceTimersByTimeAsync(1000)
  await group.cancelAll()
  await group.cancelAll()
  const cancelled = connection.sent
    .filter(({ method }) => method === 'tasks/cancel')
    .map(({ params }) => params['taskId'])
  expect(cancelled.toSorted()).toEqual(['b', 'c'])
  expect(phasesOf(group)).toEqual(['completed', 'cancelling', 'cancelling'])
})

describe('what a group shows', () => {
  test('is the same object until something visible changes, and the listener is told once per burst', async () => {
    const connection = createServer()
    const group = createTaskGroup({ connection })
    const listener = vi.fn<() => void>()
    const leave = group.subscribe(listener)
    for (const tool of ['a', 'b', 'c']) group.fire(tool)
    const before = group.getSnapshot()
    expect(before.counts.submitting).toBe(3)
    expect(group.getSnapshot()).toBe(before)
    await settle()
    expect(group.getSnapshot()).not.toBe(before)
    const calm = group.getSnapshot()
    // The first change is told at once, what follows within a frame once.
    expect(listener).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(16)
    expect(listener).toHaveBeenCalledTimes(2)
    listener.mockClear()
    await vi.advanceTimersByTimeAsync(5000)
    expect(group.getSnapshot()).toBe(calm)
    expect(listener).not.toHaveBeenCalled()
    leave()
  })

  test('percent is null while nothing is known, and never invented', async () => {
    const connection = createServer()
    connection.on('tools/call', undefined)
    const group = createTaskGroup({ connection })
    expect(group.getSnapshot().percent).toBeNull()
    group.fire('a')
    group.fire('b')
    expect(group.getSnapshot().percent).toBeNull()
    connection.sent[0]!.options.onProgress!({ progress: 1, total: 4 })
    expect(group.getSnapshot().percent).toBe(12.5)
    await connection.sent[0]!.answer(toolResult())
    expect(group.getSnapshot().percent).toBe(50)
  })

  test('before anything is fired, and on a server, is an empty group', () => {
    const group = createTaskGroup({ connection: createServer() })
    expect(group.getSnapshot()).toBe(group.getInitialSnapshot())
    group.fire('a')
    expect(group.getInitialSnapshot()).toMatchObject({ views: [], percent: null })
  })
})

test('reading rests when the last one who looked leaves, and goes on when somebody looks again', async () => {
  const connection = createServer()
  const group = createTaskGroup({ connection })
  const leave = group.subscribe(() => {})
  group.fire('a')
  group.fire('b')
  await settle()
  leave()
  await settle()
  const reads = connection.count('tasks/get')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(connection.count('tasks/get')).toBe(reads)
  tasks(connection, { a: completed(), b: completed() })
  void group.settled()
  await vi.advanceTimersByTimeAsync(1000)
  expect(phasesOf(group)).toEqual(['completed', 'completed'])
})

test('settled resolves at once where nothing is in flight, and rejects when the group is disposed of', async () => {
  const connection = createServer()
  const group = createTaskGroup({ connection })
  expect(await group.settled()).toEqual([])
  group.fire('a')
  const settled = group.settled()
  group.dispose()
  await expect(settled).rejects.toMatchObject({ kind: 'superseded' })
  await expect(group.settled()).rejects.toMatchObject({ kind: 'superseded' })
  expect(() => group.fire('b')).toThrow('disposed')
  await settle()
  expect(vi.getTimerCount()).toBe(0)
  expect(connection.listeners).toBe(0)
})

test('a member overrides what the group has by default', async () => {
  const connection = createServer()
  const onSettled = vi.fn<() => void>()
  const group = createTaskGroup({ connection, pollInterval: 7000, onSettled })
  connection.on('tools/call', ({ name }) => handle({ taskId: name, pollIntervalMs: undefined }))
  group.fire('a')
  group.fire('b', {}, { pollInterval: 500 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(connection.sent.filter(({ method }) => method === 'tasks/get').map(({ params }) => params['taskId'])).toEqual([
    'b',
  ])
})

test.each([0, -1, 1.5, Number.NaN])('maxConcurrent %s is refused at once', (maxConcurrent) => {
  expect(() => createTaskGroup({ connection: createServer(), maxConcurrent })).toThrow('`maxConcurrent`')
})

test('a hundred members send one call each, keep to the limit, and leave nothing behind', async () => {
  const connection = createServer()
  const group = createTaskGroup({ connection, maxConcurrent: 20 })
  let most = 0
  group.subscribe(() => {
    const { working } = group.getSnapshot().counts
    most = Math.max(most, working)
  })
  connection.on('tasks/get', ({ taskId }) => ({ ...completed(), taskId }))
  for (let i = 0; i < 100; i++) group.fire(`tool-${i}`)
  const settled = group.settled()
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await settled).every(({ phase }) => phase === 'completed')).toBe(true)
  expect(connection.count('tools/call')).toBe(100)
  expect(connection.count('tasks/get')).toBe(100)
  expect(most).toBeLessThanOrEqual(20)
  expect(vi.getTimerCount()).toBe(0)
  expect(connection.listeners).toBe(0)
})
