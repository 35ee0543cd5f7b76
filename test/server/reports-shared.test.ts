import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'
import { caller, ended, follow, startReport } from './support/jobs.ts'
import { endProcesses, startProcess } from './support/server-process.ts'
import { callTask, httpSession, pushOf } from './support/session.ts'
import { finished, type Json } from './support/wire.ts'

let server: RunningServer
let folder: string
beforeAll(async () => {
  server = await startServer({ port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'mcp-server-'))
})
afterAll(async () => {
  await server.close()
  await endProcesses()
  await rm(folder, { recursive: true, force: true })
})

test('one report job is watched by tools, by tasks of either generation and by a subscription', async () => {
  const wire = httpWire(server.url)
  const session = await httpSession(server.url)
  const jobId = await startReport(caller(wire), { query: 'tides', seconds: 1, sections: 3 })
  const result = session.request('tasks/result', { taskId: jobId })

  const pushes: Json[] = []
  let listChanged = false
  for await (const { method, params } of wire.listen([jobId], { resourcesListChanged: true })) {
    if (method === 'notifications/tasks') pushes.push(params)
    if (method === 'notifications/resources/list_changed') listChanged = true
    if (listChanged && pushes.at(-1)?.['status'] === 'completed') break
  }
  const job = await ended(caller(session), jobId)
  expect(job).toMatchObject({ jobId, status: 'succeeded' })
  const resource = `report://${job['result'].artifactId}`
  expect(pushes.at(-1)).toMatchObject({ taskId: jobId, result: { structuredContent: { resource } } })
  expect(await result).toMatchObject({ structuredContent: { resource } })
  expect(await session.request('tasks/get', { taskId: jobId })).toMatchObject({ status: 'completed' })
  await session.first(({ method }) => method === 'notifications/resources/list_changed')
  const { resources } = await session.request('resources/list')
  expect(resources).toContainEqual({ uri: resource, name: 'Report: tides', mimeType: 'text/markdown' })
  await session.leave()
})

test('a failure is the JSON-RPC error of the task and the error of the job', async () => {
  const wire = httpWire(server.url)
  const session = await httpSession(server.url)
  const jobId = await startReport(caller(wire), { seconds: 0, fail: 'always' })
  const { error } = await finished(wire, jobId)
  expect(error).toMatchObject({ code: -32603, data: { code: 'transient_error' } })
  await expect(session.request('tasks/result', { taskId: jobId })).rejects.toMatchObject({
    code: -32603,
    data: error.data,
  })
  expect((await ended(caller(session), jobId))['error']).toEqual({ code: 'transient_error', message: error.message })
  await session.leave()
})

test('a task of 2025-11-25 is cancelled by the tool, and the job it is retried as is one of its own', async () => {
  const session = await httpSession(server.url)
  await expect(callTask(session, 'start_report', { query: 'tea' })).rejects.toMatchObject({ code: -32601 })
  const { task } = await callTask(session, 'start_research', { query: 'tea', seconds: 60 })
  await caller(session).call('cancel_report', { jobId: task.taskId })
  expect(await pushOf(session, task.taskId, 'cancelled')).toMatchObject({ statusMessage: 'Cancelled' })
  const { structuredContent: next } = await caller(session).call('retry_report', { jobId: task.taskId })
  expect(next).toMatchObject({ status: 'queued', attempt: 2 })
  expect(await session.request('tasks/get', { taskId: task.taskId })).toMatchObject({ status: 'cancelled' })
  expect(await session.request('tasks/cancel', { taskId: next.jobId })).toMatchObject({ status: 'cancelled' })
  await session.leave()
})

test.each([
  ['2.x', () => new Client({ name: 'server-test', version: '0.0.0' }), StreamableHTTPClientTransport],
  ['1.x', () => new ClientV1({ name: 'server-test', version: '0.0.0' }), HttpV1],
])('the client of SDK %s finds every answer to be what the tools say it is', async (_version, make, Transport) => {
  const client = make() as Client
  await client.connect(new Transport(new URL(server.url)) as never)
  // From here on it checks what comes against the tools' output schemas.
  await client.listTools()
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
  const started = await call('start_report', { query: 'tea', seconds: 0, fail: 'once' })
  const { jobId } = started.structuredContent as { jobId: string }
  const reader = { call: call as never, request: undefined as never }
  expect(await ended(reader, jobId)).toMatchObject({ status: 'failed' })
  const { jobId: next } = (await call('retry_report', { jobId })).structuredContent as { jobId: string }
  await ended(reader, next)
  expect(await call('get_report_result', { jobId: next })).toMatchObject({ structuredContent: { status: 'succeeded' } })
  expect(await call('cancel_report', { jobId: 'none' })).toMatchObject({ isError: true })
  await client.close()
})

test('a server killed in the middle of a report goes on with the job', async () => {
  const killed = await startProcess(['--data', folder], { WORKERS: '1' })
  const before = caller(httpWire(killed.url))
  const jobId = await startReport(before, { seconds: 4, sections: 18, timeoutSeconds: 600 })
  const waiting = await startReport(before, { seconds: 0 })
  const reading = ({ phase }: Json) => Number(/^Reading (\d+) of 18$/.exec(phase)?.[1] ?? 0)
  const reached = (await follow(before, jobId, (job) => reading(job) >= 3)).at(-1)!
  await killed.end('SIGKILL')

  const restarted = await startProcess(['--data', folder], { WORKERS: '1' })
  const after = caller(httpWire(restarted.url))
  const done = (await follow(after, jobId, (job) => job['status'] === 'succeeded')).at(-1)!
  expect(done).toMatchObject({ attempt: 1, startedAt: reached['startedAt'] })
  const { result } = await after.request('tasks/get', { taskId: jobId })
  expect(result.structuredContent).toMatchObject({ sections: 18, interruptions: 1 })
  const { logTail } = (await after.call('get_report_status', { jobId }))['_meta']
  const steps = logTail.map((line: string) => Number(/ Reading (\d+) of/.exec(line)?.[1] ?? 0)).filter(Boolean)
  expect(steps).toEqual(steps.toSorted((a: number, b: number) => a - b))
  expect(logTail.filter((line: string) => line.endsWith('Searching sources'))).toHaveLength(1)
  expect(await ended(after, waiting)).toMatchObject({ status: 'succeeded' })
  expect(await restarted.end()).toBe(0)
})
