import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpWire } from './support/http-wire.ts'
import { startPostgres } from './support/postgres.ts'
import { endProcesses, startProcess } from './support/server-process.ts'
import { httpSession, taskOf } from './support/session.ts'
import { createTask, finished, until } from './support/wire.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await endProcesses()
  await postgres?.stop()
})

test('servers on one PostgreSQL share its tasks, and one goes on with the work of another that was killed', async () => {
  const start = (workers: number) =>
    startProcess(['--fixtures'], {
      DATABASE_URL: postgres.url,
      WORKERS: String(workers),
      LEASE_MS: '1000',
      UPKEEP_MS: '200',
    })
  // All start at once on an empty database. The first only accepts calls: the work is the others'.
  const [front, one, other] = await Promise.all([start(0), start(1), start(1)])
  const wire = httpWire(front.url)

  const args = { query: 'tea', seconds: 3, sections: 13 }
  const tasks = [
    await createTask(wire, 'start_research', args, { idempotencyKey: 'first' }),
    await createTask(wire, 'start_research', args, { idempotencyKey: 'second' }),
  ]
  expect(await createTask(httpWire(one.url), 'start_research', args, { idempotencyKey: 'first' })).toBe(tasks[0])
  // Each of the two has but one worker, so both tasks under way means that both servers are at work.
  const words = ({ statusMessage }: { statusMessage?: string }) => /^Reading [3-9] of 13$/.test(statusMessage ?? '')
  await Promise.all(tasks.map((taskId) => until(wire, taskId, words)))
  await one.end('SIGKILL')

  const outcomes = await Promise.all(tasks.map((taskId) => finished(httpWire(other.url), taskId)))
  expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'completed'])
  const interruptions = outcomes.map(({ result }) => result.structuredContent.interruptions)
  expect(interruptions.toSorted()).toEqual([0, 1])
  const { resources } = await wire.request('resources/list')
  expect(resources).toHaveLength(2)

  // A cancel reaches a worker in another process.
  const long = await createTask(wire, 'slow_compute', { seconds: 600 })
  await until(wire, long, ({ statusMessage }) => statusMessage === 'Computing')
  await wire.request('tasks/cancel', { taskId: long })
  expect(await finished(wire, long)).toMatchObject({ status: 'cancelled' })

  // So does one of the other generation, which is over at once. The only worker left is free for the next.
  const session = await httpSession(front.url)
  const stopped = await taskOf(session, 'slow_compute', { seconds: 600 })
  await session.first(({ params }) => params?.taskId === stopped && params.statusMessage === 'Computing')
  expect(await session.request('tasks/cancel', { taskId: stopped })).toMatchObject({ status: 'cancelled' })
  const next = await taskOf(session, 'slow_compute', { seconds: 0.01, label: 'next' })
  expect(await session.request('tasks/result', { taskId: next })).toMatchObject({
    content: [{ text: 'Computed next.' }],
  })
  const listed = await session.request('tasks/list')
  expect(listed['tasks'].map(({ taskId }: { taskId: string }) => taskId)).toEqual([next, stopped])
  await session.leave()
  expect(await Promise.all([front.end(), other.end()])).toEqual([0, 0])
})
