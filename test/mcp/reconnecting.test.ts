import { createTaskRunner, type Clock } from '@mcp-task-machine/core'
import { reconnecting } from '@mcp-task-machine/core/mcp'
import { expect, test, vi } from 'vitest'
import { createV2 } from './fixtures/clients.ts'
import { createPeer, TASKS } from './fixtures/peer.ts'

const flush = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A clock that stands still until it is moved. */
function createClock() {
  let now = 0
  const timers = new Set<{ at: number; run: () => void }>()
  const clock: Clock = {
    now: () => now,
    setTimeout(run, ms) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer as never),
  }
  const advance = async (ms: number) => {
    now += ms
    for (const timer of [...timers]) {
      if (timer.at > now || !timers.delete(timer)) continue
      timer.run()
      await flush()
    }
    await flush()
  }
  return { clock, timers, advance }
}

/** A server that outlives its connections, one of which is made by each attempt that it lets through. */
function createServer() {
  const peers: Awaited<ReturnType<typeof createPeer>>[] = []
  const attempts: number[] = []
  const server = {
    peers,
    attempts,
    isUp: true,
    status: 'working' as string,
    async createClient() {
      attempts.push(peers.length)
      if (!server.isUp) throw new Error('connect ECONNREFUSED')
      const peer = await createPeer('2026-07-28', TASKS)
      const task = (over = {}) => ({
        taskId: 'tk-1',
        status: server.status,
        ttlMs: null,
        pollIntervalMs: 1000,
        ...over,
      })
      peer.answers['tools/call'] = () => ({ result: { resultType: 'task', ...task() } })
      peer.answers['tasks/get'] = () => ({
        result: {
          resultType: 'complete',
          ...task(server.status === 'completed' ? { result: { content: [{ type: 'text', text: 'done' }] } } : {}),
        },
      })
      peer.answers['tasks/cancel'] = () => ({ result: { resultType: 'complete' } })
      peers.push(peer)
      const client = createV2()
      await client.connect(peer.transport)
      return client
    },
    count: (method: string) => peers.reduce((sum, peer) => sum + peer.sent(method).length, 0),
  }
  return server
}

function setUp() {
  const time = createClock()
  const server = createServer()
  const createClient = vi.fn(server.createClient)
  const connection = reconnecting(createClient, { endpoint: 'peer', clock: time.clock, random: () => 0 })
  const run = () => {
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    runner.subscribe(() => {})
    return runner
  }
  return { ...time, server, createClient, connection, run }
}

test('making one connects nothing; the first call connects, once for all runners, and is a task', async () => {
  const { createClient, connection, run, server } = setUp()
  expect(connection).toMatchObject({ supportsTasks: false, generation: 'none', endpoint: 'peer' })
  const [first, second] = [run(), run()]
  expect(createClient).not.toHaveBeenCalled()
  await Promise.all([first.fire({}), second.fire({})])
  expect(createClient).toHaveBeenCalledOnce()
  expect(first.getSnapshot()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1' } })
  expect(connection).toMatchObject({ supportsTasks: true, generation: '2026-07-28' })
  expect(server.count('tools/call')).toBe(2)
})

test('when the connection is lost the run rests, and goes on by itself over the next one', async () => {
  const { advance, run, server, createClient, timers } = setUp()
  const [runner, other] = [run(), run()]
  await runner.fire({})
  await other.fire({})
  await advance(1000)
  server.isUp = false
  await server.peers[0]!.far.close()
  await flush()
  expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: 'connection', isStale: true })
  const reads = server.count('tasks/get')
  await advance(1000)
  await advance(2000)
  expect(createClient).toHaveBeenCalledTimes(4)
  expect(server.count('tasks/get')).toBe(reads)

  server.isUp = true
  server.status = 'completed'
  await advance(4000)
  expect(createClient).toHaveBeenCalledTimes(5)
  expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', result: { data: 'done' } })
  expect(other.getSnapshot().phase).toBe('completed')
  expect(server.count('tools/call')).toBe(2)
  expect(timers.size).toBe(0)
})

test('attempts are made further and further apart, and none when nobody needs the connection', async () => {
  const { advance, run, server, createClient, timers } = setUp()
  const runner = run()
  await runner.fire({})
  server.isUp = false
  await server.peers[0]!.far.close()
  await flush()
  for (const ms of [1000, 2000, 4000, 8000]) {
    const before = createClient.mock.calls.length
    await advance(ms - 1)
    expect(createClient).toHaveBeenCalledTimes(before)
    await advance(1)
    expect(createClient).toHaveBeenCalledTimes(before + 1)
  }
  runner.dispose()
  expect(timers.size).toBe(0)
})

test('a call that cannot be made was not sent, and is not lost', async () => {
  const { server, run, createClient, advance } = setUp()
  server.isUp = false
  const runner = run()
  await expect(runner.fire({})).rejects.toMatchObject({ kind: 'not-sent', retryable: true })
  await expect(runner.fire({})).rejects.toMatchObject({ kind: 'not-sent' })
  // Whoever calls again means it; by itself nothing is tried for nobody.
  expect(createClient).toHaveBeenCalledTimes(2)
  await advance(600_000)
  expect(createClient).toHaveBeenCalledTimes(2)
})

test('a cancel wish that was spoken while nothing was connected gets through', async () => {
  const { advance, run, server } = setUp()
  const runner = run()
  await runner.fire({})
  await server.peers[0]!.far.close()
  await runner.cancel()
  await flush()
  await advance(1000)
  expect(server.count('tasks/cancel')).toBe(1)
  expect(runner.getSnapshot().phase).toBe('cancelling')
})

test.each([{ minDelay: 0 }, { maxDelay: Number.NaN }])('options that are none are refused at once (%#)', (options) => {
  expect(() => reconnecting(async () => createV2(), options)).toThrow('positive number')
  expect(() => reconnecting(undefined as never)).toThrow('a function that makes a connected client')
})
