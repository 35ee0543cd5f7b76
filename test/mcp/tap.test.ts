import { fromClient, type McpClient } from '@mcp-task-machine/core/mcp'
import { StreamableHTTPClientTransport, type Client } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { createV1, createV2, createV2Legacy } from './fixtures/clients.ts'
import { serveTasks } from './fixtures/http.ts'
import { inMemoryTasks, modernTransports } from './fixtures/modern.ts'
import { AUGMENTED, createPeer, TASKS } from './fixtures/peer.ts'

const HOOKED = ['send', 'onmessage', 'onclose', '_fetch'] as const

/** Everything about an outcome that an app could see. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await promise }
  } catch (error) {
    const { name, message, code, data } = error as { name: string; message: string; code: unknown; data: unknown }
    return { type: Object.getPrototypeOf(error).constructor, name, message, code, data }
  }
}

/** The package a second time, as two bundles in one page have it. */
async function secondCopy(): Promise<typeof fromClient> {
  vi.resetModules()
  const copy = await import('@mcp-task-machine/core/mcp')
  expect(copy.fromClient).not.toBe(fromClient)
  return copy.fromClient
}

function hooks(client: McpClient) {
  return HOOKED.map((key) => Object.getOwnPropertyDescriptor(client.transport, key))
}

describe.each(Object.entries(modernTransports))(
  "the app's own calls over %s, with the tap in place",
  (_, transport) => {
    async function clientOfApp(isTapped: boolean): Promise<Client> {
      const client = createV2()
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }))
      await client.connect(await transport())
      await client.listTools()
      const greeting = { name: 'greet', arguments: { name: 'Bob' } }
      if (!isTapped) await client.callTool(greeting)
      else {
        const connection = fromClient(client)
        connection.onNotification('notifications/progress', () => {})
        connection.onClose(() => {})
        await connection.request('tools/call', greeting)
      }
      return client
    }
    const calls: Record<string, (client: Client) => Promise<unknown>> = {
      'a result': (client) => client.callTool({ name: 'greet', arguments: { name: 'Ada' } }),
      'a task, which the SDK refuses': (client) => client.callTool({ name: 'long_measure' }),
      'an input request, which the SDK fulfils': (client) => client.callTool({ name: 'ask_first' }),
      'a result that fits the output schema': (client) => client.callTool({ name: 'measure' }),
      'a result that does not fit it': (client) => client.callTool({ name: 'mismeasure' }),
      'a missing capability': (client) => client.callTool({ name: 'long' }),
      'an unknown tool': (client) => client.callTool({ name: 'nothing' }),
      progress: (client) => client.callTool({ name: 'steps' }, { onprogress: () => {} }),
      'a timeout': (client) => client.callTool({ name: 'hang' }, { timeout: 20 }),
      'an abort': (client) => client.callTool({ name: 'hang' }, { signal: AbortSignal.timeout(20) }),
      'an unknown method': (client) => client.request({ method: 'example/unknown' }, anything),
      'a read': (client) => client.request({ method: 'tasks/get', params: { taskId: 'task-1' } }, anything),
      'a list': (client) => client.listTools(undefined, { cacheMode: 'refresh' }),
    }
    const outcomes = async (client: Client) => {
      const found: Record<string, unknown> = {}
      for (const [name, call] of Object.entries(calls)) found[name] = await outcome(call(client))
      return found
    }

    test('end as without it', async () => {
      const [bare, tapped] = await Promise.all([clientOfApp(false), clientOfApp(true)])
      const expected = await outcomes(bare)
      expect(expected).toMatchObject({
        'a task, which the SDK refuses': { code: 'UNSUPPORTED_RESULT_TYPE' },
        'an input request, which the SDK fulfils': { value: { content: [{ text: 'Hello, Ada!' }] } },
        'a result that does not fit it': { code: -32602 },
        'a missing capability': { code: -32021 },
        'a timeout': { code: 'REQUEST_TIMEOUT' },
      })
      expect(await outcomes(tapped)).toEqual(expected)
    })

    test('run beside ours, each with its own answer', async () => {
      const client = await clientOfApp(true)
      const connection = fromClient(client)
      const [ours, theirs, greeting, again] = await Promise.all([
        connection.request('tools/call', { name: 'long_measure' }),
        outcome(client.callTool({ name: 'long_measure' })),
        client.callTool({ name: 'greet', arguments: { name: 'Ada' } }),
        connection.request('tools/call', { name: 'long_measure' }),
      ])
      expect(ours).toMatchObject({ resultType: 'task' })
      expect(again).toMatchObject({ resultType: 'task' })
      expect(theirs).toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' })
      expect(greeting.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
    })
  },
)

test('a callback that the app put on the transport before connect() still sees every message', async () => {
  const { transport } = await inMemoryTasks()
  const seen: any[] = []
  Object.assign(transport, { onmessage: (message: unknown) => seen.push(message) })
  const client = createV2()
  await client.connect(transport)
  const task = await fromClient(client).request('tools/call', { name: 'long' })
  expect(seen.at(-1).result).toEqual(task)
})

describe('an app that puts its own functions on the transport afterwards', () => {
  async function tapped() {
    const { transport } = await inMemoryTasks()
    const before = { send: transport.send.bind(transport) }
    const client = createV2()
    await client.connect(transport)
    const connection = fromClient(client)
    const notified = vi.fn<(value?: any) => void>()
    connection.onNotification('notifications/tasks', notified)
    return { client, transport: transport as any, connection, before, notified }
  }

  test('and calls the ones it found sees all messages, and ours are answered', async () => {
    const { transport, connection } = await tapped()
    const seen: any[] = []
    const { send, onmessage } = transport
    Object.assign(transport, {
      send(message: any, options: unknown) {
        seen.push(message)
        return send.call(transport, message, options)
      },
      onmessage(message: any, extra: unknown) {
        seen.push(message)
        onmessage(message, extra)
      },
    })
    const task = await connection.request('tools/call', { name: 'long' })
    expect(task).toMatchObject({ resultType: 'task' })
    expect(seen.map(({ method }) => method)).toEqual(['tools/call', undefined])
    expect(seen[1].result).toBe(task)
  })

  test('is told of a notification as often as it comes, and so are we', async () => {
    const { client, transport, notified } = await tapped()
    const { onmessage } = transport
    const seen = vi.fn<(value?: any) => void>()
    Object.assign(transport, {
      onmessage(message: any, extra: unknown) {
        seen()
        onmessage(message, extra)
      },
    })
    const handled = new Promise((resolve) => {
      client.setNotificationHandler('notifications/tasks', { params: anything }, resolve)
    })
    transport.onmessage({ jsonrpc: '2.0', method: 'notifications/tasks', params: { taskId: 't' } })
    await handled
    expect(seen).toHaveBeenCalledOnce()
    expect(notified).toHaveBeenCalledOnce()
  })

  test('and does not call the ones it found does not cut us off', async () => {
    const { transport, connection, before } = await tapped()
    transport.send = before.send
    expect(await connection.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
    expect(await connection.request('tasks/get', { taskId: 'task-1' })).toMatchObject({ taskId: 'task-1' })
  })

  test('and spies on it finds our requests as they are sent', async () => {
    const { transport, connection } = await tapped()
    const spy = vi.spyOn(transport, 'send')
    expect(await connection.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
    expect(spy).toHaveBeenCalledOnce()
    spy.mockRestore()
    expect(await connection.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
  })

  test('for a while, and puts back what it found, leaves no trace', async () => {
    const { transport, connection } = await tapped()
    const found = transport.onmessage
    for (const onmessage of [() => {}, found]) Object.assign(transport, { onmessage })
    expect(transport.onmessage).toBe(found)
    expect(await connection.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
  })
})

describe('a second copy of this package on the same client', () => {
  test('gets its own answers, and the first one its own', async () => {
    const { transport, change } = await inMemoryTasks()
    const client = createV2()
    await client.connect(transport)
    const [one, two] = [fromClient(client), (await secondCopy())(client)]
    const [first, second] = await Promise.all([
      one.request('tools/call', { name: 'long' }),
      two.request('tools/call', { name: 'long' }),
    ])
    expect([first.taskId, second.taskId]).toEqual(['task-1', 'task-2'])
    const [ofOne, ofTwo] = [vi.fn<(value?: any) => void>(), vi.fn<(value?: any) => void>()]
    one.onNotification('notifications/tasks', ofOne)
    two.onNotification('notifications/tasks', ofTwo)
    one.listen!(['task-1'])
    await vi.waitFor(() => expect(ofOne).not.toHaveBeenCalled())
    change('task-1', { status: 'completed' })
    await vi.waitFor(() => expect(ofTwo).toHaveBeenCalledOnce())
    expect(ofOne).toHaveBeenCalledOnce()
    expect(await outcome(client.callTool({ name: 'long_measure' }))).toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' })
  })

  test('and an app that replaces what both have put there cut nobody off', async () => {
    const { transport } = await inMemoryTasks()
    const send = transport.send.bind(transport)
    const client = createV2()
    await client.connect(transport)
    const [one, two] = [fromClient(client), (await secondCopy())(client)]
    for (const connection of [one, two]) await connection.request('tools/call', { name: 'long' })
    const ofApp = vi.fn<typeof send>(send)
    Object.assign(transport, { send: ofApp })
    for (const connection of [one, two])
      expect(await connection.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
    expect(ofApp).toHaveBeenCalledTimes(2)
  })

  test('goes on when the first one has nothing left to listen to, and the other way round', async () => {
    const { transport } = await inMemoryTasks()
    const client = createV2()
    await client.connect(transport)
    const bare = hooks(client)
    const [one, two] = [fromClient(client), (await secondCopy())(client)]
    for (let round = 1; round <= 3; round++) {
      const stopOne = one.onClose(() => {})
      const stopTwo = two.onClose(() => {})
      expect(await one.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
      stopOne()
      expect(await two.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
      expect(await one.request('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task' })
      stopTwo()
    }
    one.onClose(() => {})()
    two.onClose(() => {})()
    one.onClose(() => {})()
    expect(hooks(client)).toEqual(bare)
  })
})

describe('the transport is as it was', () => {
  test.each(Object.entries(modernTransports))('over %s, when the last listener has gone', async (_, transport) => {
    const client = createV2()
    await client.connect(await transport())
    const bare = hooks(client)
    const connection = fromClient(client)
    const stops = [
      connection.onNotification('notifications/tasks', () => {}),
      connection.onClose(() => {}),
      connection.onServerRequest!(() => undefined),
    ]
    expect(hooks(client)).not.toEqual(bare)
    await connection.request('tools/call', { name: 'long_measure' })
    for (const stop of stops) stop()
    expect(hooks(client)).toEqual(bare)
    expect(await connection.request('tools/call', { name: 'long_measure' })).toMatchObject({ resultType: 'task' })
  })

  test('with a function that the app has put there since', async () => {
    const { transport } = await inMemoryTasks()
    const send = transport.send.bind(transport)
    const client = createV2()
    await client.connect(transport)
    const stop = fromClient(client).onClose(() => {})
    Object.assign(transport, { send })
    expect(transport.send).not.toBe(send)
    stop()
    expect(transport.send).toBe(send)
  })

  test('but not while an answer is waited for', async () => {
    const server = await serveTasks()
    const client = createV2()
    await client.connect(new StreamableHTTPClientTransport(server.url))
    const connection = fromClient(client)
    const stop = connection.onClose(() => {})
    const open = connection.request('tools/call', { name: 'long_measure' })
    stop()
    expect(await open).toMatchObject({ resultType: 'task' })
  })

  test('after it was closed', async () => {
    const peer = await createPeer('2026-07-28', TASKS)
    const client = createV2()
    await client.connect(peer.transport)
    const bare = hooks(client)
    fromClient(client).onClose(() => {})
    await client.close()
    expect(HOOKED.map((key) => Object.getOwnPropertyDescriptor(peer.transport, key))).toEqual(bare)
  })
})

test.each([
  ['SDK 2.x', createV2Legacy],
  ['SDK 1.x', createV1],
] as const)('a 2025-11-25 client of %s is tapped the same way', async (_, create) => {
  const peer = await createPeer('2025-11-25', AUGMENTED)
  const client = create()
  await client.connect(peer.transport as never)
  const bare = hooks(client)
  const connection = fromClient(client)
  peer.answers['tools/call'] = () => ({ result: { task: { taskId: 't', status: 'working' } } })
  const stop = connection.onClose(() => {})
  const params = { name: 'x', task: { ttl: 1000 } }
  expect(await connection.request('tools/call', params)).toEqual({ task: { taskId: 't', status: 'working' } })
  expect(peer.sent('tools/call')[0].params).toEqual(params)
  stop()
  expect(hooks(client)).toEqual(bare)
})

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: any) => ({ value }) } } as const
