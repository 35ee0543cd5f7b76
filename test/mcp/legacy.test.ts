import { fromClient } from '@mcp-task-machine/core/mcp'
import { describe, expect, test } from 'vitest'
import { all, connectInMemory, connectOverHttp, kinds } from './fixtures/legacy.ts'
import { createPeer } from './fixtures/peer.ts'
import { createV1, createV2Legacy } from './fixtures/clients.ts'

type Json = Record<string, any>

describe.each(all)('2025-11-25 with %s %s', (_, __, connect) => {
  test('a task is created, read, listed, waited for and cancelled', async () => {
    const { client } = await connect()
    const connection = fromClient(client)
    expect(connection).toMatchObject({ generation: '2025-11-25', supportsTasks: true, listen: undefined })
    const params = { name: 'must', arguments: {}, task: { ttl: 60_000 } }
    const { task } = (await connection.request('tools/call', params)) as Json
    expect(task).toMatchObject({ status: 'working', ttl: 60_000, pollInterval: 10 })
    const { taskId } = task
    expect(await connection.request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' })
    expect(await connection.request('tasks/list', {})).toMatchObject({ tasks: [{ taskId }] })
    expect(await connection.request('tasks/cancel', { taskId })).toMatchObject({ taskId, status: 'cancelled' })
  })

  test('tasks/result brings the result as it is', async () => {
    const { client, works } = (await connect()) as Awaited<ReturnType<typeof connectInMemory>>
    const connection = fromClient(client)
    const params = { name: 'work', arguments: {}, task: {} }
    const { task } = (await connection.request('tools/call', params)) as Json
    // In a child process the task ends by itself.
    await works?.get(task.taskId)!.finish('worked')
    expect(await connection.request('tasks/result', { taskId: task.taskId })).toEqual({
      content: [{ type: 'text', text: 'worked' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } },
    })
  })

  test('a plain call is answered outright', async () => {
    const { client } = await connect()
    expect(await fromClient(client).request('tools/call', { name: 'greet', arguments: { name: 'Ada' } })).toEqual({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
  })
})

describe.each(kinds)('with %s', (kind) => {
  test('nothing is added to a request', async () => {
    const { client, received } = await connectOverHttp(kind)
    await fromClient(client).request('tools/call', { name: 'work', arguments: {}, task: { ttl: 5 } })
    expect(received.last.body).toEqual({
      jsonrpc: '2.0',
      id: received.last.body.id,
      method: 'tools/call',
      params: { name: 'work', arguments: {}, task: { ttl: 5 } },
    })
    expect(received.last.headers).toMatchObject({ 'mcp-protocol-version': '2025-11-25' })
    expect(received.last.headers['mcp-session-id']).toBeDefined()
  })

  test("the app's own calls are not changed by what we ask about its tools", async () => {
    const { client } = await connectInMemory(kind)
    const connection = fromClient(client)
    expect(await connection.taskSupport('must')).toBe('required')
    const result = await (client as any).callTool({ name: 'must', arguments: {} })
    expect(result).toMatchObject({ isError: true })
  })

  test('a signal used for many requests is let go by each of them', async () => {
    const { client, received } = await connectOverHttp(kind)
    const connection = fromClient(client)
    const controller = new AbortController()
    let listening = 0
    const { addEventListener, removeEventListener } = controller.signal
    controller.signal.addEventListener = (...args: [any, any]) => {
      listening++
      addEventListener.apply(controller.signal, args)
    }
    controller.signal.removeEventListener = (...args: [any, any]) => {
      listening--
      removeEventListener.apply(controller.signal, args)
    }
    for (let i = 0; i < 20; i++) await connection.request('tasks/list', {}, { signal: controller.signal })
    expect(listening).toBe(0)
    controller.abort()
    await connection.request('tasks/list', {})
    expect(received.of('notifications/cancelled')).toEqual([])
  })

  test('an aborted request tells the server', async () => {
    const { client, received } = await connectOverHttp(kind)
    const controller = new AbortController()
    const open = fromClient(client).request('tools/call', { name: 'hang' }, { signal: controller.signal })
    const { body } = await received.arrival('tools/call')
    controller.abort(new Error('no more'))
    await expect(open).rejects.toMatchObject({ reason: 'aborted' })
    expect((await received.arrival('notifications/cancelled')).body.params.requestId).toBe(body.id)
  })
})

describe('which tasks a connection can have', () => {
  const augmented = { tasks: { requests: { tools: { call: {} } } } }
  const extension = { extensions: { 'io.modelcontextprotocol/tasks': { any: 'setting' } } }
  test.each([
    ['2025-11-25', augmented, '2025-11-25', true],
    ['2025-11-25', { tasks: { list: {} } }, '2025-11-25', false],
    ['2025-11-25', { tasks: { requests: { sampling: { createMessage: {} } } } }, '2025-11-25', false],
    ['2025-11-25', extension, '2025-11-25', false],
    ['2025-06-18', augmented, 'none', false],
    ['2026-07-28', extension, '2026-07-28', true],
    ['2026-07-28', {}, '2026-07-28', false],
    ['2026-07-28', augmented, '2026-07-28', false],
  ] as const)(
    'version %s and capabilities %j with SDK 2.x',
    async (version, capabilities, generation, supportsTasks) => {
      const peer = await createPeer(version, capabilities)
      const client = createV2Legacy({ versionNegotiation: { mode: 'auto' } })
      await client.connect(peer.transport)
      expect(fromClient(client)).toMatchObject({ generation, supportsTasks })
      await client.close()
      expect(fromClient(client)).toMatchObject({ generation: 'none', supportsTasks: false })
    },
  )

  test('SDK 1.x tells the version over HTTP; over others the capability decides', async () => {
    const peer = await createPeer('2025-11-25', augmented)
    const client = createV1()
    expect(fromClient(client)).toMatchObject({ generation: 'none', supportsTasks: false })
    await client.connect(peer.transport as never)
    expect(fromClient(client)).toMatchObject({ generation: '2025-11-25', supportsTasks: true })
    await client.close()
    expect(fromClient(client)).toMatchObject({ generation: 'none', supportsTasks: false })
  })
})
