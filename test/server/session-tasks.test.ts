import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { callTask, httpSession, pushOf, stdioSession, taskOf, type Session } from './support/session.ts'
import type { Json } from './support/wire.ts'

const UNKNOWN = '7d9f0c5e-0000-4000-8000-000000000000'
const FIELDS = ['createdAt', 'lastUpdatedAt', 'pollInterval', 'status', 'statusMessage', 'taskId', 'ttl']
const related = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } })
const resultOf = (session: Session, taskId: string) => session.request('tasks/result', { taskId })

describe.each(['http', 'stdio'] as const)('tasks of 2025-11-25 over %s', (transport) => {
  let server: RunningServer | undefined
  let session: Session
  beforeAll(async () => {
    if (transport === 'http') server = await startServer({ port: 0, fixtures: true })
    session = server ? await httpSession(server.url) : await stdioSession(['--fixtures'])
  })
  afterAll(async () => {
    await session?.leave()
    await server?.close()
  })

  test('are declared, for the server and for each tool', async () => {
    expect(session.initialized).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    })
    expect(session.initialized['capabilities']).not.toHaveProperty('extensions')
    const { tools } = await session.request('tools/list')
    const support = Object.fromEntries(tools.map((tool: Json) => [tool['name'], tool['execution']]))
    expect(support).toMatchObject({
      start_research: { taskSupport: 'optional' },
      book_trip: { taskSupport: 'optional' },
      import_contacts: { taskSupport: 'optional' },
      sync_calendar: { taskSupport: 'optional' },
      failing_job: { taskSupport: 'required' },
      greet: undefined,
    })
  })

  test('begin with a wrapped handle and are read flat, without a payload', async () => {
    const answer = await callTask(session, 'start_research', { query: 'tea', seconds: 60 })
    expect(Object.keys(answer).toSorted()).toEqual(['_meta', 'task'])
    expect(answer['_meta']).toEqual({
      'io.modelcontextprotocol/model-immediate-response': expect.stringContaining('tea'),
    })
    const { task } = answer
    expect(Object.keys(task).toSorted()).toEqual(FIELDS)
    expect(task).toMatchObject({ status: 'working', ttl: 3_600_000, pollInterval: 1000 })
    const read = await session.request('tasks/get', { taskId: task.taskId })
    expect(Object.keys(read).toSorted()).toEqual(FIELDS)
    expect(read).toMatchObject({ taskId: task.taskId, createdAt: task.createdAt, ttl: task.ttl })
    await session.request('tasks/cancel', { taskId: task.taskId })
  })

  test('give their result when it is there, as often as it is asked for', async () => {
    const taskId = await taskOf(session, 'slow_compute', { seconds: 0.3, label: 'x' })
    const result = { content: [{ type: 'text', text: 'Computed x.' }], _meta: related(taskId) }
    expect(await resultOf(session, taskId)).toEqual(result)
    expect(await resultOf(session, taskId)).toEqual(result)
    const read = await session.request('tasks/get', { taskId })
    expect(Object.keys(read).toSorted()).toEqual(FIELDS)
    expect(read).toMatchObject({ status: 'completed', statusMessage: 'Done' })
  })

  test('are failed when the tool reports an error, which is their result', async () => {
    const taskId = await taskOf(session, 'import_contacts', { seconds: 0.05, rows: 10 })
    expect(await resultOf(session, taskId)).toMatchObject({
      isError: true,
      structuredContent: { brokenRow: 7 },
      _meta: related(taskId),
    })
    expect(await session.request('tasks/get', { taskId })).toMatchObject({ status: 'failed' })
  })

  test('that broke down give the error of the call itself', async () => {
    const taskId = await taskOf(session, 'sync_calendar', { seconds: 0.05 })
    await expect(resultOf(session, taskId)).rejects.toMatchObject({
      code: -32603,
      message: 'The calendar service hung up.',
      data: { upstream: 502 },
    })
    expect(await session.request('tasks/get', { taskId })).toMatchObject({ status: 'failed' })
  })

  test('are cancelled at once and for good, and a wait for their result ends', async () => {
    const taskId = await taskOf(session, 'slow_compute', { seconds: 600 })
    await session.first(({ params }) => params?.taskId === taskId && params.statusMessage === 'Computing')
    const waiting = resultOf(session, taskId)
    waiting.catch(() => {})
    const cancelled = await session.request('tasks/cancel', { taskId })
    expect(Object.keys(cancelled).toSorted()).toEqual(FIELDS)
    expect(cancelled).toMatchObject({ taskId, status: 'cancelled' })
    await expect(waiting).rejects.toMatchObject({ code: -32603 })
    await expect(session.request('tasks/cancel', { taskId })).rejects.toMatchObject({ code: -32602 })
    expect(await session.request('tasks/get', { taskId })).toEqual(cancelled)
  })

  test('are cancelled or finished, whichever comes first, and never change again', async () => {
    const ends = Array.from({ length: 12 }, async (_, index) => {
      const taskId = await taskOf(session, 'slow_compute', { seconds: 0.02 * (index % 4) + 0.001 })
      // Anything but the handle's words: it may be done before it could be seen at work.
      const moved = ({ params }: Json) => params?.taskId === taskId && params.statusMessage !== 'Waiting for a worker'
      if (index % 3 > 0) await session.first(moved)
      const answer = await session.request('tasks/cancel', { taskId }).catch((error: Json) => error)
      const { status } = await session.request('tasks/get', { taskId })
      expect([answer['status'] ?? answer['code'], status]).toBeOneOf([
        ['cancelled', 'cancelled'],
        [-32602, 'completed'],
      ])
      return { taskId, status }
    })
    const statuses = await Promise.all(ends)
    // A later task has gone through every worker, so no work of these is left.
    await resultOf(session, await taskOf(session, 'slow_compute', { seconds: 0.2 }))
    for (const { taskId, status } of statuses)
      expect(await session.request('tasks/get', { taskId })).toMatchObject({ status })
  })

  test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])(
    'that are unknown are an invalid parameter of %s',
    async (method) => {
      await expect(session.request(method, { taskId: UNKNOWN })).rejects.toMatchObject({ code: -32602 })
      await expect(session.request(method, {})).rejects.toMatchObject({ code: -32602 })
    },
  )

  test('are refused, before anything is run, where a tool forbids them or the call is wrong', async () => {
    await expect(callTask(session, 'greet', { name: 'Ada' })).rejects.toMatchObject({ code: -32601 })
    await expect(callTask(session, 'start_research', {})).rejects.toMatchObject({
      code: -32602,
      data: { reason: 'bad_arguments' },
    })
    await expect(callTask(session, 'none', {})).rejects.toMatchObject({
      code: -32602,
      data: { reason: 'unknown_tool' },
    })
    const listed = await session.request('tasks/list')
    await expect(callTask(session, 'slow_compute', {}, { ttl: -1 })).rejects.toMatchObject({ code: -32602 })
    await expect(session.request('tasks/update', { taskId: UNKNOWN })).rejects.toMatchObject({ code: -32601 })
    await expect(session.request('tools/call', {})).rejects.toMatchObject({ code: -32602 })
    expect(await session.request('tasks/list')).toEqual(listed)
  })

  test('are insisted on where a tool requires them', async () => {
    const plainly = session.request('tools/call', { name: 'failing_job', arguments: {} })
    await expect(plainly).rejects.toMatchObject({ code: -32601 })
    const taskId = await taskOf(session, 'failing_job', {})
    expect(await resultOf(session, taskId)).toMatchObject({ isError: true })
  })

  test('are made of the smallest work when asked for, and of none where it is not', async () => {
    const args = { query: 'tea', seconds: 0, sections: 1 }
    expect(await session.request('tools/call', { name: 'start_research', arguments: args })).toMatchObject({
      structuredContent: { sections: 1 },
    })
    expect(await session.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } })).toEqual({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
    expect(await callTask(session, 'start_research', args)).toMatchObject({ task: { status: 'working' } })
  })

  test('tell each change and their progress, until they are finished, and what they have made', async () => {
    const stream = transport === 'http' ? 'GET' : 'stdio'
    const _meta = { progressToken: `token-${transport}` }
    const args = { query: 'tides', seconds: 0.9, sections: 4 }
    const before = session.heard.map(({ message }) => message)
    const taskId = await taskOf(session, 'start_research', args, { _meta })
    const done = await pushOf(session, taskId, 'completed')
    expect(Object.keys(done).toSorted()).toEqual(FIELDS)
    expect(done).toEqual(await session.request('tasks/get', { taskId }))
    await session.first(
      (message) => message['method'] === 'notifications/resources/list_changed' && !before.includes(message),
    )

    const ours = session.heard.filter(
      ({ message: { params } }) => params?.taskId === taskId || params?.progressToken === _meta.progressToken,
    )
    expect(ours.every((heard) => heard.stream === stream)).toBe(true)
    const stamps = ours.flatMap(({ message }) => message['params'].lastUpdatedAt ?? [])
    expect(stamps).toEqual([...new Set(stamps)].toSorted())
    const progress = ours.filter(({ message }) => message['method'] === 'notifications/progress')
    expect(progress.length).toBeGreaterThanOrEqual(2)
    for (const { message } of progress)
      expect(message['params']).toMatchObject({ total: 6, message: expect.any(String), _meta: related(taskId) })
    const values = progress.map(({ message }) => message['params'].progress)
    expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
    expect(ours.at(-1)?.message['params']).toEqual(done)
  })

  test('shared by an idempotency key are made once', async () => {
    const _meta = { idempotencyKey: `key-${transport}` }
    const first = await taskOf(session, 'slow_compute', { seconds: 60 }, { _meta })
    expect(await taskOf(session, 'slow_compute', { seconds: 60 }, { _meta })).toBe(first)
    await session.request('tasks/cancel', { taskId: first })
  })
})
