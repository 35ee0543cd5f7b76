import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { events, httpWire } from './support/http-wire.ts'
import { endProcesses, startProcess } from './support/server-process.ts'
import { httpSession, listen, post, pushOf, questionOf, taskOf, type Session } from './support/session.ts'
import { createTask, finished, type Json } from './support/wire.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: true })
})
afterAll(async () => {
  await endProcesses()
  await server.close()
})

const ping = { id: 1, method: 'ping' }
const gone = { error: { code: -32001, message: 'Session not found' }, id: null }
const statusOf = async (session: Session, taskId: string) => (await session.request('tasks/get', { taskId }))['status']

/** Ends a session as its client does. */
function endSession(url: string, sessionId: string): Promise<Response> {
  return fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': sessionId } })
}

test('a session begins with initialize, and ends with DELETE', async () => {
  const early = await post(server.url, ping)
  expect(early.status).toBe(400)
  expect(early.headers.get('mcp-session-id')).toBeNull()

  const session = await httpSession(server.url)
  expect(session.id).toMatch(/^[\x21-\x7e]{20,}$/)
  expect(await session.request('ping')).toEqual({})
  expect((await endSession(server.url, session.id)).status).toBe(200)
  expect((await post(server.url, ping, session.id)).status).toBe(404)
  await session.leave()
})

test('a session that is unknown is gone, whatever is asked', async () => {
  const answers = [
    await post(server.url, ping, 'never-heard-of'),
    await listen(server.url, 'never-heard-of'),
    await endSession(server.url, 'never-heard-of'),
  ]
  for (const response of answers) {
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject(gone)
  }
})

test('a session has one stream, and a new one when the client has left that', async () => {
  const first = new AbortController()
  const { id, ...session } = await httpSession(server.url)
  expect((await listen(server.url, id)).status).toBe(409)
  await session.leave()
  let response = await listen(server.url, id, first.signal)
  // The server hears that the client has left a moment later than the client leaves.
  while (response.status === 409) response = await listen(server.url, id, first.signal)
  expect(response.status).toBe(200)

  const made = await post(
    server.url,
    { id: 1, method: 'tools/call', params: { name: 'slow_compute', arguments: { seconds: 0.05 }, task: {} } },
    id,
  )
  let taskId = ''
  for await (const { result } of events(made)) taskId = result.task.taskId
  for await (const { params } of events(response)) {
    expect(params.taskId).toBe(taskId)
    if (params.status === 'completed') break
  }
  first.abort()
})

test('a session that nobody uses is dropped; one with an open stream is in use', async () => {
  const brief = await startServer({ port: 0, sessionIdleMs: 2000 })
  const used = await httpSession(brief.url)
  const idle = await httpSession(brief.url)
  await idle.leave()
  let response: Response
  do {
    // Each request is a use, so it has to be left alone for longer than it may be idle.
    await delay(2500)
    response = await post(brief.url, ping, idle.id)
  } while (response.status !== 404)
  expect(await used.request('ping')).toEqual({})
  await used.leave()
  await brief.close()
})

test('a session lists its own tasks only; whoever knows the id of another may use it', async () => {
  const one = await httpSession(server.url)
  const other = await httpSession(server.url)
  const taskId = await taskOf(one, 'slow_compute', { seconds: 600 })
  expect(await one.request('tasks/list')).toMatchObject({ tasks: [{ taskId }] })
  expect(await other.request('tasks/list')).toEqual({ tasks: [] })
  expect(await statusOf(other, taskId)).toBe('working')
  expect(await other.request('tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' })
  expect(await pushOf(one, taskId, 'cancelled')).toMatchObject({ taskId })
  expect(other.heard).toEqual([])
  await Promise.all([one.leave(), other.leave()])
})

test('a task goes on when its session has ended, a plain call does not', async () => {
  const session = await httpSession(server.url)
  const taskId = await taskOf(session, 'slow_compute', { seconds: 0.5, label: 'x' })
  const call = { name: 'start_research', arguments: { query: 'tea', seconds: 600 } }
  const _meta = { idempotencyKey: 'of-a-session-that-ends', progressToken: 'plain' }
  const plainly = session.request('tools/call', { ...call, _meta })
  plainly.catch(() => {})
  const progress = await session.first(({ params }) => params?.progressToken === 'plain')
  expect(progress.stream).toBe('tools/call')
  const joined = await createTask(httpWire(server.url), call.name, call.arguments, _meta)
  await endSession(server.url, session.id)
  await expect(plainly).rejects.toThrow('The stream ended without an answer.')
  expect(await finished(httpWire(server.url), joined)).toMatchObject({ status: 'cancelled' })
  const next = await httpSession(server.url)
  expect(await next.request('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'Computed x.' }] })
  await Promise.all([session.leave(), next.leave()])
})

test('both generations see the same task, each in its own words, and the same end', async () => {
  const wire = httpWire(server.url)
  const session = await httpSession(server.url)
  const reported = await taskOf(session, 'import_contacts', { seconds: 0.05, rows: 10 })
  const result = await session.request('tasks/result', { taskId: reported })
  expect(await statusOf(session, reported)).toBe('failed')
  const { content, isError } = result
  expect(await wire.request('tasks/get', { taskId: reported })).toMatchObject({
    status: 'completed',
    result: { content, isError },
  })

  const stopped = await taskOf(session, 'slow_compute', { seconds: 600 })
  const { lastUpdatedAt } = await session.request('tasks/cancel', { taskId: stopped })
  const there = { status: 'cancelled', lastUpdatedAt }
  expect(await wire.request('tasks/get', { taskId: stopped })).toMatchObject(there)
  await wire.request('tasks/cancel', { taskId: stopped })
  expect(await wire.request('tasks/get', { taskId: stopped })).toMatchObject(there)

  const modern = await createTask(wire, 'slow_compute', { seconds: 0.2, label: 'y' })
  expect(await session.request('tasks/result', { taskId: modern })).toMatchObject({
    content: [{ text: 'Computed y.' }],
  })
  await session.leave()
})

test('a restart ends the sessions and keeps the tasks, which a new session goes on with', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-sessions-'))
  const args = ['--fixtures', '--data', folder]
  const killed = await startProcess(args)
  const before = await httpSession(killed.url)
  const done = await taskOf(before, 'slow_compute', { seconds: 0.01, label: 'early' })
  await before.request('tasks/result', { taskId: done })
  const asking = await taskOf(before, 'confirm_delete', { filename: 'a.txt' })
  await pushOf(before, asking, 'input_required')
  const running = await taskOf(before, 'start_research', { query: 'tea', seconds: 2, sections: 8 })
  await before.first(({ params }) => params?.taskId === running && params.statusMessage.startsWith('Reading'))
  await killed.end('SIGKILL')

  const restarted = await startProcess(args)
  const refused = await post(restarted.url, { id: 1, method: 'tasks/get', params: { taskId: done } }, before.id)
  expect(refused.status).toBe(404)
  expect(await refused.json()).toMatchObject(gone)

  const after = await httpSession(restarted.url)
  expect(await after.request('tasks/list')).toEqual({ tasks: [] })
  expect(await after.request('tasks/result', { taskId: done })).toMatchObject({
    content: [{ text: 'Computed early.' }],
  })
  const confirmed = after.request('tasks/result', { taskId: asking })
  const { message } = await questionOf(after, asking)
  const answer: Json = { action: 'accept', content: { confirm: true } }
  await after.send({ id: message['id'], result: answer })
  expect(await confirmed).toMatchObject({ content: [{ text: 'a.txt deleted.' }] })
  expect(await after.request('tasks/result', { taskId: running })).toMatchObject({
    structuredContent: { sections: 8, interruptions: 1 },
  })
  await after.leave()
  expect(await restarted.end()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})
