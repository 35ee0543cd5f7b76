import { createTaskRunner, listTasks } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { describe, expect, test } from 'vitest'
import { createV1, createV2, createV2Legacy } from './fixtures/clients.ts'
import { createPeer, TASKS } from './fixtures/peer.ts'

const requests = { tools: { call: {} } }
const task = { taskId: 't', status: 'working', pollInterval: 60_000, ttl: null }

describe.each([
  ['SDK 2.x', createV2Legacy],
  ['SDK 1.x', createV1],
] as const)('a 2025-11-25 server and %s', (_, create) => {
  async function connect(tasks: object) {
    const peer = await createPeer('2025-11-25', { tools: {}, tasks: { requests, ...tasks } })
    const client = create()
    await client.connect(peer.transport as never)
    const tools = [{ name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }]
    peer.answers['tools/list'] = () => ({ result: { tools } })
    peer.answers['tools/call'] = () => ({ result: { task } })
    peer.answers['tasks/cancel'] = () => ({ result: { ...task, status: 'cancelled' } })
    peer.answers['tasks/list'] = () => ({ result: { tasks: [task] } })
    return { peer, connection: fromClient(client) }
  }

  test.each([
    ['tasks/cancel', {}],
    ['tasks/cancel', { list: {} }],
    ['tasks/list', {}],
    ['tasks/list', { cancel: {} }],
  ])('%s is not sent if the capabilities of its tasks are %j besides calls', async (method, tasks) => {
    const { peer, connection } = await connect(tasks)
    const before = peer.received.length
    expect(connection.listsTasks).toBe('list' in tasks)
    await expect(connection.request(method, { taskId: 't' })).rejects.toMatchObject({ reason: 'unsupported' })
    expect(peer.received).toHaveLength(before)
  })

  test.each([
    ['tasks/cancel', { cancel: {} }],
    ['tasks/list', { list: {} }],
  ])('%s is sent if they are %j', async (method, tasks) => {
    const { peer, connection } = await connect(tasks)
    expect(connection.listsTasks).toBe('list' in tasks)
    await connection.request(method, { taskId: 't' })
    expect(peer.sent(method)).toHaveLength(1)
  })

  test('a task that cannot be cancelled says so, nothing is sent, and it is followed as before', async () => {
    const { peer, connection } = await connect({})
    const runner = createTaskRunner({ connection, tool: 'work' })
    await runner.fire()
    const before = peer.received.length
    await runner.cancel()
    expect(peer.received).toHaveLength(before)
    expect(runner.getSnapshot()).toMatchObject({
      phase: 'working',
      canCancel: false,
      cancelRequested: false,
      error: { kind: 'unsupported' },
    })
    runner.dispose()
  })

  test('a list that is not offered is an error of ours, and nothing is sent', async () => {
    const { peer, connection } = await connect({ cancel: {} })
    const before = peer.received.length
    await expect(listTasks(connection)).rejects.toMatchObject({ name: 'HostCapabilityError', kind: 'unsupported' })
    expect(peer.received).toHaveLength(before)
  })
})

test('on 2026-07-28 every task can be cancelled, whatever the capabilities say, and none is listed', async () => {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  await client.connect(peer.transport)
  peer.answers['tasks/cancel'] = () => ({ result: { resultType: 'complete' } })
  const connection = fromClient(client)
  await connection.request('tasks/cancel', { taskId: 't' })
  expect(peer.sent('tasks/cancel')).toHaveLength(1)
  await expect(listTasks(connection)).rejects.toMatchObject({ kind: 'unsupported' })
  expect(peer.sent('tasks/list')).toEqual([])
})
