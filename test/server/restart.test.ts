import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpWire } from './support/http-wire.ts'
import { endProcesses, startProcess } from './support/server-process.ts'
import { createTask, finished, until, type Json } from './support/wire.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-server-'))
})
afterAll(async () => {
  await endProcesses()
  await rm(folder, { recursive: true, force: true })
})

test('a server killed in the middle of its work loses nothing', async () => {
  const args = ['--fixtures', '--data', folder]
  const env = { WORKERS: '1' }
  const killed = await startProcess(args, env)
  const before = httpWire(killed.url)
  const done = await createTask(before, 'slow_compute', { seconds: 0.01, label: 'early' })
  await finished(before, done)
  const asking = await createTask(before, 'confirm_delete', { filename: 'a.txt' })
  await until(before, asking, ({ status }) => status === 'input_required')
  const research = { query: 'tea', seconds: 4, sections: 18 }
  const running = await createTask(before, 'start_research', research, { idempotencyKey: 'tea' })
  const waiting = await createTask(before, 'slow_compute', { seconds: 0.01, label: 'late' })
  const reading = ({ statusMessage }: Json) => Number(/^Reading (\d+) of/.exec(statusMessage)?.[1] ?? 0)
  const reached = reading(await until(before, running, (task) => reading(task) >= 3))
  await killed.end('SIGKILL')

  const restarted = await startProcess(args, env)
  const after = httpWire(restarted.url)
  expect(await after.request('tasks/get', { taskId: done })).toMatchObject({
    status: 'completed',
    result: { content: [{ text: 'Computed early.' }] },
  })
  expect(await createTask(after, 'start_research', research, { idempotencyKey: 'tea' })).toBe(running)

  const pushes: Json[] = []
  for await (const { method, params } of after.listen([running]))
    if (method === 'notifications/tasks') pushes.push(params)
  const steps = pushes.map(reading).filter((step) => step > 0)
  // What was read before the kill is not read again; the step under way is, since it was not finished.
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(reached)
  expect(pushes.map(({ statusMessage }) => statusMessage)).not.toContain('Searching sources')
  const { result } = await after.request('tasks/get', { taskId: running })
  expect(result.structuredContent).toMatchObject({ sections: 18, interruptions: 1 })

  expect(await finished(after, waiting)).toMatchObject({ status: 'completed' })
  const answer = { action: 'accept', content: { confirm: true } }
  await after.request('tasks/update', { taskId: asking, inputResponses: { confirm: answer } })
  expect(await finished(after, asking)).toMatchObject({ result: { content: [{ text: 'a.txt deleted.' }] } })

  // A second server on the same folder is turned away while this one lives.
  await expect(startProcess(args, env)).rejects.toThrow('is in use by the server')
  expect(await restarted.end('SIGTERM')).toBe(0)
})

test('a server that is asked to stop leaves its work to the next one', async () => {
  const args = ['--fixtures', '--data', join(folder, 'stopped')]
  const stopped = await startProcess(args)
  const taskId = await createTask(httpWire(stopped.url), 'start_research', { query: 'tea', seconds: 2, sections: 8 })
  await until(httpWire(stopped.url), taskId, ({ statusMessage }) => statusMessage.startsWith('Reading'))
  expect(await stopped.end('SIGTERM')).toBe(0)
  const next = await startProcess(args)
  expect(await finished(httpWire(next.url), taskId)).toMatchObject({ status: 'completed' })
  expect(await next.end('SIGINT')).toBe(0)
})
