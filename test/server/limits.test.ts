import { afterEach, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'
import { createTask, finished, until } from './support/wire.ts'

let server: RunningServer | undefined
afterEach(() => server?.close())

const computing = ({ statusMessage }: { statusMessage?: string }) => statusMessage === 'Computing'

test('calls beyond the bound on waiting tasks are refused with a time to come back, until there is room', async () => {
  server = await startServer({ port: 0, fixtures: true, workers: 1, maxQueued: 1 })
  const wire = httpWire(server.url)
  const running = await createTask(wire, 'slow_compute', { seconds: 600 })
  await until(wire, running, computing)
  const waiting = await createTask(wire, 'slow_compute', { seconds: 600 })
  const refused = createTask(wire, 'slow_compute', { seconds: 600 })
  await expect(refused).rejects.toMatchObject({ code: -32603, data: { reason: 'overloaded', retryAfterMs: 1000 } })

  // A waiting task is cancelled without any worker, so it makes room at once.
  await wire.request('tasks/cancel', { taskId: waiting })
  expect(await wire.request('tasks/get', { taskId: waiting })).toMatchObject({ status: 'cancelled' })
  const next = await createTask(wire, 'slow_compute', { seconds: 0.01 })
  await wire.request('tasks/cancel', { taskId: running })
  expect(await finished(wire, next)).toMatchObject({ status: 'completed' })
})

test('a task whose time is over is deleted, and its worker is free for the next', async () => {
  server = await startServer({ port: 0, fixtures: true, workers: 1, ttlMs: 1500, upkeepMs: 50 })
  const wire = httpWire(server.url)
  const args = { seconds: 600, label: 'long' }
  const taskId = await createTask(wire, 'slow_compute', args, { idempotencyKey: 'again' })
  // The subscription ends when its only task is gone.
  for await (const { params } of wire.listen([taskId])) expect(params?.status ?? 'working').toBe('working')
  await expect(wire.request('tasks/get', { taskId })).rejects.toMatchObject({ code: -32602 })
  await expect(wire.request('tasks/cancel', { taskId })).rejects.toMatchObject({ code: -32602 })

  // Its idempotency key is gone with it.
  const next = await createTask(wire, 'slow_compute', args, { idempotencyKey: 'again' })
  expect(next).not.toBe(taskId)
  expect(await until(wire, next, computing)).toMatchObject({ taskId: next })
})

test('a task without a time to live says so', async () => {
  server = await startServer({ port: 0, fixtures: true, ttlMs: null })
  const wire = httpWire(server.url)
  const taskId = await createTask(wire, 'slow_compute', { seconds: 0.01 })
  expect(await finished(wire, taskId)).toMatchObject({ ttlMs: null })
})
