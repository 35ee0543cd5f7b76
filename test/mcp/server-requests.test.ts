import { fromClient } from '@mcp-task-machine/core/mcp'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test, vi } from 'vitest'
import { createV1, createV2, createV2Legacy, silence } from './fixtures/clients.ts'
import { connectInMemory, connectOverHttp, kinds } from './fixtures/legacy.ts'
import { AUGMENTED, createPeer, TASKS } from './fixtures/peer.ts'

type Json = Record<string, any>

const RELATED = 'io.modelcontextprotocol/related-task'

function answerAsApp(client: any, answer: object) {
  const handler = vi.fn<() => Promise<object>>(async () => answer)
  if ('listen' in client) client.setRequestHandler('elicitation/create', handler)
  else client.setRequestHandler(ElicitRequestSchema, handler)
  return handler
}

describe.each([
  ['over Streamable HTTP', connectOverHttp],
  ['in memory', connectInMemory],
] as const)('a prompt of a 2025-11-25 task %s', (_, connect) => {
  test.each(kinds)('is answered by our listener while tasks/result is open, with %s', async (kind) => {
    const { client } = await connect(kind)
    const handler = answerAsApp(client, { action: 'decline' })
    const connection = fromClient(client)
    const asked: Json[] = []
    connection.onServerRequest!((request) => {
      asked.push(request)
      return Promise.resolve({ action: 'accept', content: { name: 'Ada' } })
    })
    const { task } = (await connection.request('tools/call', { name: 'ask', arguments: {}, task: {} })) as Json
    const result = await connection.request('tasks/result', { taskId: task.taskId })
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
    expect(asked).toEqual([
      expect.objectContaining({
        method: 'elicitation/create',
        taskId: task.taskId,
        params: expect.objectContaining({ message: 'Name?' }),
      }),
    ])
    expect(handler).not.toHaveBeenCalled()
  })

  test.each(kinds)('that our listener leaves alone is answered by the app, with %s', async (kind) => {
    const { client } = await connect(kind)
    const handler = answerAsApp(client, { action: 'accept', content: { name: 'App' } })
    const connection = fromClient(client)
    connection.onServerRequest!(() => undefined)
    const { task } = (await connection.request('tools/call', { name: 'ask', arguments: {}, task: {} })) as Json
    const result = await connection.request('tasks/result', { taskId: task.taskId })
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, App!' }])
    expect(handler).toHaveBeenCalledOnce()
  })
})

test.each(kinds)('a prompt without a task has no id, and is answered all the same, with %s', async (kind) => {
  const { client } = await connectInMemory(kind)
  const connection = fromClient(client)
  const listener = vi.fn<(request: unknown) => Promise<Json>>(() => Promise.resolve({ action: 'decline' }))
  connection.onServerRequest!(listener)
  expect(await connection.request('tools/call', { name: 'consult' })).toMatchObject({ content: [{ text: 'decline' }] })
  expect(listener).toHaveBeenCalledWith(expect.objectContaining({ taskId: null }))
})

describe.each([
  ['SDK 2.x', createV2Legacy],
  ['SDK 1.x', createV1],
] as const)('the answer to a prompt, with %s', (_, create) => {
  async function connect() {
    const peer = await createPeer('2025-11-25', AUGMENTED)
    const client = create()
    await client.connect(peer.transport as never)
    const answer = async (id: unknown) => {
      await vi.waitFor(() => expect(peer.received.some((message) => message.id === id && !message.method)).toBe(true))
      return peer.received.find((message) => message.id === id && !message.method)
    }
    const ask = (id: unknown, method: string, params: object = {}) => peer.send({ id, method, params })
    return { peer, client, connection: fromClient(client), answer, ask }
  }
  const related = { [RELATED]: { taskId: 't', more: 1 } }

  test('bears the id of the server, 0 included, and the task it named', async () => {
    const { connection, answer, ask } = await connect()
    connection.onServerRequest!(({ taskId }) => Promise.resolve({ action: 'accept', _meta: { taskId } }))
    await ask(0, 'elicitation/create', { message: 'Name?', _meta: related })
    expect(await answer(0)).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: { action: 'accept', _meta: { taskId: 't', ...related } },
    })
    await ask('text', 'sampling/createMessage', { messages: [] })
    expect(await answer('text')).toEqual({
      jsonrpc: '2.0',
      id: 'text',
      result: { action: 'accept', _meta: { taskId: null } },
    })
  })

  test('is an error if our listener fails, with its code if it has one', async () => {
    const { connection, answer, ask } = await connect()
    connection.onServerRequest!(({ params }) =>
      Promise.reject(Object.assign(new Error('not now'), params.coded ? { code: -1 } : {})),
    )
    await ask(1, 'roots/list', { coded: true })
    expect(await answer(1)).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'not now' } })
    await ask(2, 'roots/list')
    expect(await answer(2)).toEqual({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'not now' } })
  })

  test('is given by the listener that takes it', async () => {
    const { connection, answer, ask } = await connect()
    const last = vi.fn<() => undefined>()
    connection.onServerRequest!(() => undefined)
    const stop = connection.onServerRequest!(() => Promise.resolve({ from: 'second' }))
    connection.onServerRequest!(last)
    await ask(1, 'roots/list')
    expect(await answer(1)).toMatchObject({ result: { from: 'second' } })
    stop()
    await ask(2, 'roots/list')
    expect(await answer(2)).toMatchObject({ error: { code: -32601 } })
    expect(last).toHaveBeenCalledTimes(2)
  })

  test('is not given at all once the server has cancelled its question', async () => {
    const { peer, connection, answer, ask } = await connect()
    let reply: (answer: Json) => void = () => {}
    connection.onServerRequest!(({ params }) =>
      params.late ? new Promise((resolve) => (reply = resolve)) : Promise.resolve({}),
    )
    await ask(1, 'roots/list', { late: true })
    await peer.notify('notifications/cancelled', { requestId: 1 })
    reply({})
    await ask(2, 'roots/list')
    await answer(2)
    expect(peer.received.filter(({ id, method }) => id === 1 && !method)).toEqual([])
  })

  test('to anything else is the SDK’s', async () => {
    const { connection, answer, ask } = await connect()
    const listener = vi.fn<() => Promise<Json>>(() => Promise.resolve({}))
    connection.onServerRequest!(listener)
    await ask(1, 'ping')
    expect(await answer(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    await ask(2, 'example/unknown')
    expect(await answer(2)).toMatchObject({ error: { code: -32601 } })
    expect(listener).not.toHaveBeenCalled()
  })

  test('goes to the app if our listener throws', async () => {
    const { client, connection, answer, ask } = await connect()
    silence(client)
    answerAsApp(client, { action: 'decline' })
    connection.onServerRequest!(() => {
      throw new Error('no')
    })
    const requestedSchema = { type: 'object', properties: {} }
    await ask(1, 'elicitation/create', { message: 'Name?', requestedSchema })
    expect(await answer(1)).toMatchObject({ result: { action: 'decline' } })
  })
})

test('a 2026-07-28 connection answers no request, as the specification wants', async () => {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  silence(client)
  await client.connect(peer.transport)
  const listener = vi.fn<() => Promise<Json>>(() => Promise.resolve({}))
  fromClient(client).onServerRequest!(listener)
  const before = peer.received.length
  await peer.send({ id: 1, method: 'elicitation/create', params: {} })
  expect(listener).not.toHaveBeenCalled()
  expect(peer.received).toHaveLength(before)
})
