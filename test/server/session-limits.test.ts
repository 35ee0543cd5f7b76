import { afterEach, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { callTask, httpSession, taskOf, type Session } from './support/session.ts'

let server: RunningServer | undefined
let session: Session | undefined
afterEach(async () => {
  await session?.leave()
  await server?.close()
})

test('a time to live is granted within the limits of the server, and the handle says what holds', async () => {
  server = await startServer({ port: 0, fixtures: true, ttlMs: 60_000, workers: 0 })
  session = await httpSession(server.url)
  const granted = async (ttl?: number) => (await callTask(session!, 'slow_compute', {}, { ttl }))['task'].ttl
  expect(await granted()).toBe(60_000)
  expect(await granted(5000)).toBe(5000)
  expect(await granted(5000.5)).toBe(5001)
  expect(await granted(600_000)).toBe(60_000)
  // Nobody could read it in time who keeps to the pace that is asked for.
  expect(await granted(1)).toBe(1000)
})

test('a server that keeps tasks for ever keeps one for as long as it is asked to', async () => {
  server = await startServer({ port: 0, fixtures: true, ttlMs: null, workers: 0 })
  session = await httpSession(server.url)
  expect(await callTask(session, 'slow_compute', {})).toMatchObject({ task: { ttl: null } })
  expect(await callTask(session, 'slow_compute', {}, { ttl: 5000 })).toMatchObject({ task: { ttl: 5000 } })
  expect(await callTask(session, 'slow_compute', {}, { ttl: 1e15 })).toMatchObject({ task: { ttl: 2 ** 31 - 1 } })
})

test('a task whose time is over is gone, also for those who wait for its result', async () => {
  server = await startServer({ port: 0, fixtures: true, pollIntervalMs: 100, upkeepMs: 50 })
  session = await httpSession(server.url)
  const taskId = await taskOf(session, 'slow_compute', { seconds: 600 }, { ttl: 1500 })
  await expect(session.request('tasks/result', { taskId })).rejects.toMatchObject({ code: -32602 })
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    await expect(session.request(method, { taskId })).rejects.toMatchObject({ code: -32602 })
  expect(await session.request('tasks/list')).toEqual({ tasks: [] })
})

test('calls beyond the bound on waiting tasks are refused, and make no task', async () => {
  server = await startServer({ port: 0, fixtures: true, workers: 0, maxQueued: 2 })
  session = await httpSession(server.url)
  const kept = [await taskOf(session, 'slow_compute', {}), await taskOf(session, 'slow_compute', {})]
  const overloaded = { code: -32603, data: { reason: 'overloaded', retryAfterMs: 1000 } }
  await expect(callTask(session, 'slow_compute', {})).rejects.toMatchObject(overloaded)
  const { tasks } = await session.request('tasks/list')
  expect(tasks.map(({ taskId }: { taskId: string }) => taskId)).toEqual(kept.toReversed())
  await session.request('tasks/cancel', { taskId: kept[0] })
  expect(await callTask(session, 'slow_compute', {})).toMatchObject({ task: { status: 'working' } })
})

test('a long list comes page by page, the newest task first, and stands while others are added', async () => {
  server = await startServer({ port: 0, fixtures: true, workers: 0 })
  session = await httpSession(server.url)
  const made: string[] = []
  for (let count = 0; count < 45; count++) made.push(await taskOf(session, 'slow_compute', {}))
  const listed: string[] = []
  const sizes: number[] = []
  let cursor: string | undefined
  do {
    const page = await session.request('tasks/list', cursor === undefined ? {} : { cursor })
    for (const task of page['tasks']) {
      expect(Object.keys(task)).not.toContain('result')
      listed.push(task.taskId)
    }
    sizes.push(page['tasks'].length)
    cursor = page['nextCursor']
    await taskOf(session, 'slow_compute', {})
  } while (cursor !== undefined)
  expect(sizes).toEqual([20, 20, 5])
  expect(listed).toEqual(made.toReversed())
  for (const wrong of ['x', 'W10', Buffer.from('["never","x"]').toString('base64url')])
    await expect(session.request('tasks/list', { cursor: wrong })).rejects.toMatchObject({ code: -32602 })
})
