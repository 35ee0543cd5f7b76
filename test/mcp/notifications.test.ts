import { fromClient } from '@mcp-task-machine/core/mcp'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test, vi } from 'vitest'
import { createV1, createV2, createV2Legacy, silence } from './fixtures/clients.ts'
import { connectInMemory, kinds } from './fixtures/legacy.ts'
import { connectToTasks, inMemoryTasks } from './fixtures/modern.ts'
import { AUGMENTED, createPeer, TASKS } from './fixtures/peer.ts'

type Json = Record<string, any>

const peers = [
  ['2026-07-28 and SDK 2.x', '2026-07-28', createV2],
  ['2025-11-25 and SDK 2.x', '2025-11-25', createV2Legacy],
  ['2025-11-25 and SDK 1.x', '2025-11-25', createV1],
] as const

describe.each(peers)('%s', (_, version, create) => {
  async function connect() {
    const peer = await createPeer(version, version === '2026-07-28' ? TASKS : AUGMENTED)
    const client = create()
    await client.connect(peer.transport as never)
    return { peer, client, connection: fromClient(client) }
  }

  test.each(['notifications/tasks', 'notifications/tasks/status', 'notifications/progress', 'notifications/example'])(
    '%s reaches every listener until it stops',
    async (method) => {
      const { peer, client, connection } = await connect()
      silence(client)
      const listener = vi.fn<(value?: any) => void>()
      const other = vi.fn<(value?: any) => void>()
      const stops = [
        connection.onNotification(method, listener),
        connection.onNotification(method, listener),
        connection.onNotification('notifications/other', other),
      ]
      await peer.notify(method, { taskId: 't', progressToken: 'none', progress: 1 })
      expect(listener).toHaveBeenCalledTimes(2)
      expect(listener).toHaveBeenCalledWith({ taskId: 't', progressToken: 'none', progress: 1 })
      stops[0]!()
      stops[0]!()
      await peer.notify(method, {})
      expect(listener).toHaveBeenCalledTimes(3)
      for (const stop of stops) stop()
      await peer.notify(method, {})
      expect(listener).toHaveBeenCalledTimes(3)
      expect(other).not.toHaveBeenCalled()
    },
  )

  test('a listener from before the connection hears the first notification after the first use', async () => {
    const peer = await createPeer(version, version === '2026-07-28' ? TASKS : AUGMENTED)
    const client = create()
    const connection = fromClient(client)
    const listener = vi.fn<(value?: any) => void>()
    connection.onNotification('notifications/example', listener)
    await client.connect(peer.transport as never)
    peer.answers['tasks/get'] = () => ({ result: { resultType: 'complete', taskId: 't', status: 'working' } })
    await connection.request('tasks/get', { taskId: 't' })
    await peer.notify('notifications/example', { a: 1 })
    expect(listener).toHaveBeenCalledExactlyOnceWith({ a: 1 })
  })

  test("the app's own handler and fallback are called as before", async () => {
    const { peer, client, connection } = await connect()
    connection.onNotification('notifications/tools/list_changed', () => {})
    connection.onNotification('notifications/example', () => {})
    const handled = new Promise((resolve) => {
      if ('listen' in client) client.setNotificationHandler('notifications/tools/list_changed', resolve)
      else client.setNotificationHandler(ToolListChangedNotificationSchema, resolve)
    })
    const fallen = new Promise((resolve) => {
      client.fallbackNotificationHandler = async (notification) => resolve(notification)
    })
    await peer.notify('notifications/tools/list_changed')
    await peer.notify('notifications/example', { a: 1 })
    await handled
    expect(await fallen).toMatchObject({ method: 'notifications/example', params: { a: 1 } })
  })

  test('a listener that throws keeps nobody from hearing it', async () => {
    const { peer, client, connection } = await connect()
    const errors: Error[] = []
    Object.assign(client, { onerror: (error: Error) => errors.push(error) })
    const next = vi.fn<(value?: any) => void>()
    connection.onNotification('notifications/example', () => {
      throw new Error('no')
    })
    connection.onNotification('notifications/example', next)
    const handled = new Promise((resolve) => {
      client.fallbackNotificationHandler = async (notification) => resolve(notification)
    })
    await peer.notify('notifications/example')
    await handled
    expect(next).toHaveBeenCalledOnce()
    expect(errors.map(({ message }) => message)).toEqual(['no'])
  })
})

test.each(kinds)('the status of a 2025-11-25 task is pushed to %s', async (kind) => {
  const { client, works } = await connectInMemory(kind)
  const connection = fromClient(client)
  const seen: unknown[] = []
  connection.onNotification('notifications/tasks/status', ({ status }) => seen.push(status))
  const { task } = (await connection.request('tools/call', { name: 'work', arguments: {}, task: {} })) as Json
  await works.get(task.taskId)!.finish('worked')
  await connection.request('tasks/result', { taskId: task.taskId })
  expect(seen).toContain('completed')
})

describe('pushes about 2026-07-28 tasks', () => {
  const ways = {
    'over Streamable HTTP': async () => connectToTasks(),
    'in memory': async () => {
      const server = await inMemoryTasks()
      const client = createV2()
      await client.connect(server.transport)
      return { client, server }
    },
  }
  test.each(Object.entries(ways))(
    'come %s for the ids that were asked for, until it is stopped',
    async (_, connect) => {
      const { client, server } = await connect()
      const connection = fromClient(client)
      for (const id of ['one', 'two']) server.create(id)
      const pushed = vi.fn<(value?: any) => void>()
      connection.onNotification('notifications/tasks', pushed)
      const stop = connection.listen!(['one'])
      await vi.waitFor(() => expect(server.listening.size).toBe(1))
      server.change('two', { status: 'completed' })
      server.change('one', { status: 'completed', result: { content: [] } })
      await vi.waitFor(() => expect(pushed).toHaveBeenCalledOnce())
      expect(pushed).toHaveBeenCalledWith(
        expect.objectContaining({ taskId: 'one', status: 'completed', result: { content: [] } }),
      )
      stop()
      await vi.waitFor(() => expect(server.listening.size).toBe(0))
      expect(server.tasks.get('one')).toMatchObject({ status: 'completed' })
    },
  )

  test('are asked for with the ids, the envelope and the extension', async () => {
    const { client, server } = await connectToTasks()
    server.create('one')
    const stop = fromClient(client).listen!(['one'])
    const { body } = await server.received.arrival('subscriptions/listen')
    stop()
    expect(body.params.notifications).toEqual({ taskIds: ['one'] })
    expect(body.params._meta['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28')
    expect(body.params._meta['io.modelcontextprotocol/clientCapabilities'].extensions).toEqual({
      'io.modelcontextprotocol/tasks': {},
    })
  })

  test('cancel no task when they are stopped', async () => {
    const { client, server } = await connectToTasks()
    server.create('one')
    const connection = fromClient(client)
    const stop = connection.listen!(['one'])
    await server.received.arrival('subscriptions/listen')
    stop()
    stop()
    expect(await connection.request('tasks/get', { taskId: 'one' })).toMatchObject({ status: 'working' })
    expect(server.received.of('tasks/cancel')).toEqual([])
  })

  test('that the server refuses, or a connection that is gone, are no error', async () => {
    const peer = await createPeer('2026-07-28', TASKS)
    const client = createV2()
    await client.connect(peer.transport)
    const connection = fromClient(client)
    const { listen } = connection
    const stop = listen!(['one'])
    await vi.waitFor(() => expect(peer.sent('subscriptions/listen')).toHaveLength(1))
    stop()
    await client.close()
    expect(connection.listen).toBeUndefined()
    expect(listen!(['one'])).toBeInstanceOf(Function)
  })
})
