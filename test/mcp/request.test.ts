import { fromClient, RequestError } from '@mcp-task-machine/core/mcp'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { createV2 } from './fixtures/clients.ts'
import { serveByHand } from './fixtures/http.ts'
import { connectToTasks, modernTransports } from './fixtures/modern.ts'
import { createPeer, symbolsIn, TASKS } from './fixtures/peer.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

async function connectToPeer() {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  await client.connect(peer.transport)
  return { client, peer, connection: fromClient(client) }
}

describe.each(Object.entries(modernTransports))('2026-07-28 over %s', (_, transport) => {
  test('a call answered with a task resolves with the task, and the task can be read and cancelled', async () => {
    const client = createV2()
    await client.connect(await transport())
    const connection = fromClient(client)
    const task = await connection.request('tools/call', { name: 'long', arguments: {} })
    expect(task).toMatchObject({ resultType: 'task', taskId: 'task-1', status: 'working', pollIntervalMs: 50 })
    expect(await connection.request('tasks/get', { taskId: 'task-1' })).toMatchObject({
      resultType: 'complete',
      taskId: 'task-1',
      status: 'working',
    })
    expect(await connection.request('tasks/update', { taskId: 'task-1', inputResponses: {} })).toBeDefined()
    expect(await connection.request('tasks/cancel', { taskId: 'task-1' })).toBeDefined()
    expect(await connection.request('tasks/get', { taskId: 'task-1' })).toMatchObject({ status: 'cancelled' })
  })

  test('a call answered outright resolves with its result', async () => {
    const client = createV2()
    await client.connect(await transport())
    const result = await fromClient(client).request('tools/call', { name: 'greet', arguments: { name: 'Ada' } })
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'Hello, Ada!' }] })
  })

  test('an input_required answer comes raw, and the call can be sent again with the answers', async () => {
    const client = createV2()
    const handler = vi.fn<() => Promise<{ action: 'decline' }>>(async () => ({ action: 'decline' }))
    client.setRequestHandler('elicitation/create', handler)
    await client.connect(await transport())
    const connection = fromClient(client)
    const asked = await connection.request('tools/call', { name: 'ask_first', arguments: {} })
    expect(asked).toMatchObject({
      resultType: 'input_required',
      requestState: 'round-1',
      inputRequests: { name: { method: 'elicitation/create', params: { message: 'Name?' } } },
    })
    expect(handler).not.toHaveBeenCalled()
    const result = await connection.request('tools/call', {
      name: 'ask_first',
      arguments: {},
      inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
      requestState: asked.requestState,
    })
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'Hello, Ada!' }] })
  })

  test('a request before connect() rejects with a sentence, and the same connection works afterwards', async () => {
    const client = createV2()
    const connection = fromClient(client)
    expect(connection).toMatchObject({ generation: 'none', supportsTasks: false, listen: undefined })
    const refused = connection.request('tasks/get', { taskId: 'task-1' })
    await expect(refused).rejects.toThrow(RequestError)
    await expect(refused).rejects.toMatchObject({ reason: 'not-connected' })
    await expect(refused).rejects.toThrow('The MCP client is not connected: await client.connect(transport) first.')
    await client.connect(await transport())
    expect(connection).toMatchObject({ generation: '2026-07-28', supportsTasks: true })
    expect(await connection.request('tools/call', { name: 'long', arguments: {} })).toMatchObject({ taskId: 'task-1' })
  })

  test('the same client connected anew goes on over its new transport', async () => {
    const client = createV2()
    const connection = fromClient(client)
    await client.connect(await transport())
    await connection.request('tools/call', { name: 'long', arguments: {} })
    await client.close()
    await expect(connection.request('tasks/get', { taskId: 'task-1' })).rejects.toMatchObject({
      reason: 'not-connected',
    })
    await client.connect(await transport())
    expect(await connection.request('tools/call', { name: 'long', arguments: {} })).toMatchObject({
      resultType: 'task',
      taskId: 'task-1',
    })
  })
})

test('answers to a task reach the server', async () => {
  const { client, server } = await connectToTasks()
  server.create('task-1')
  const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } }
  await fromClient(client).request('tasks/update', { taskId: 'task-1', inputResponses })
  expect(server.updates).toEqual([{ taskId: 'task-1', inputResponses }])
})

test('a result is exactly what the server put on the wire', async () => {
  const { client, server } = await connectToTasks()
  const connection = fromClient(client)
  const results = [
    await connection.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } }),
    await connection.request('tools/call', { name: 'long', arguments: {} }),
    await connection.request('tasks/get', { taskId: 'task-1' }),
    await connection.request('tools/list', {}),
    await connection.request('tasks/cancel', { taskId: 'task-1' }),
    await connection.request('tools/call', { name: 'ask_first', arguments: {} }),
    await connection.request('tools/call', { name: 'mismeasure', arguments: {} }),
  ]
  expect(results).toEqual(server.answered.slice(-results.length).map(({ result }) => result))
})

test.each([
  ['without a resultType', {}],
  ['of type task', { resultType: 'task' }],
  ['of type complete', { resultType: 'complete' }],
])('tasks/get, tasks/update and tasks/cancel accept an answer %s', async (_, type) => {
  const { connection, peer } = await connectToPeer()
  const snapshot = {
    ...type,
    taskId: 't',
    status: 'working',
    createdAt: 'a',
    lastUpdatedAt: 'b',
    ttlMs: null,
    extra: 1,
  }
  peer.answers['tasks/get'] = () => ({ result: snapshot })
  peer.answers['tasks/update'] = () => ({ result: type })
  peer.answers['tasks/cancel'] = () => ({ result: type })
  expect(await connection.request('tasks/get', { taskId: 't' })).toBe(snapshot)
  expect(await connection.request('tasks/update', { taskId: 't', inputResponses: {} })).toBe(type)
  expect(await connection.request('tasks/cancel', { taskId: 't' })).toBe(type)
})

test('an answer of no known type comes through for the caller to judge', async () => {
  const { connection, peer } = await connectToPeer()
  const odd = { resultType: 'banana', content: 'no' }
  peer.answers['tools/call'] = () => ({ result: odd })
  expect(await connection.request('tools/call', { name: 'x' })).toBe(odd)
})

test('a result that does not fit the output schema of its tool still comes through, and so does a task', async () => {
  const { client } = await connectToTasks()
  await client.listTools()
  const connection = fromClient(client)
  expect(await connection.request('tools/call', { name: 'mismeasure' })).toMatchObject({
    structuredContent: { score: 'x' },
  })
  expect(await connection.request('tools/call', { name: 'long_measure' })).toMatchObject({ resultType: 'task' })
})

test('a tool whose output schema the SDK cannot compile is called all the same', async () => {
  const { connection, client, peer } = await connectToPeer()
  const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }
  peer.answers['tools/list'] = () => ({
    result: {
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      tools: [{ name: 'odd', inputSchema: { type: 'object' }, outputSchema }],
    },
  })
  peer.answers['tools/call'] = () => ({ result: { resultType: 'task', taskId: 't', status: 'working' } })
  await client.listTools()
  await expect(client.callTool({ name: 'odd' })).rejects.toThrow('invalid outputSchema')
  expect(await connection.request('tools/call', { name: 'odd' })).toMatchObject({ taskId: 't' })
})

describe('on the wire', () => {
  test('every request declares the tasks extension beside the capabilities of the client', async () => {
    const { client, server } = await connectToTasks()
    const connection = fromClient(client)
    await connection.request('tools/call', { name: 'long', arguments: {} })
    await connection.request('tasks/get', { taskId: 'task-1' })
    await connection.request('tasks/update', { taskId: 'task-1', inputResponses: {} })
    await connection.request('tasks/cancel', { taskId: 'task-1' })
    const ours = server.received.all.filter(({ body }) => body.method !== 'server/discover')
    expect(ours.map(({ body }) => body.method)).toEqual(['tools/call', 'tasks/get', 'tasks/update', 'tasks/cancel'])
    for (const { body } of ours)
      expect(body.params._meta).toEqual({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'fixture', version: '1.0.0' },
        [CAPABILITIES]: {
          elicitation: { form: {} },
          sampling: {},
          roots: {},
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
      })
  })

  test('what the client itself declares about extensions is kept', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': { own: true }, 'example.org/other': {} }
    const { client, server } = await connectToTasks(createV2({ capabilities: { extensions } }))
    await fromClient(client).request('tools/call', { name: 'long' })
    expect(server.received.last.body.params._meta[CAPABILITIES]).toEqual({ extensions })
  })

  test('the app is not made to declare what it did not declare', async () => {
    const { client, server } = await connectToTasks()
    await fromClient(client).request('tools/call', { name: 'long' })
    await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })
    expect(server.received.last.body.params._meta[CAPABILITIES]).toEqual({
      elicitation: { form: {} },
      sampling: {},
      roots: {},
    })
  })

  test('meta of the caller is sent along', async () => {
    const { client, server } = await connectToTasks()
    await fromClient(client).request('tools/call', { name: 'long', _meta: { 'example.org/trace': 'abc' } })
    expect(server.received.last.body.params._meta).toMatchObject({
      'example.org/trace': 'abc',
      [CAPABILITIES]: {
        elicitation: { form: {} },
        sampling: {},
        roots: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    })
  })

  test('nothing of ours is in a message: no key that the specification does not know, no symbol', async () => {
    const { connection, peer } = await connectToPeer()
    peer.answers['tools/call'] = () => ({ result: { resultType: 'task', taskId: 't', status: 'working' } })
    peer.answers['tasks/get'] = () => ({ result: { resultType: 'complete', taskId: 't', status: 'working' } })
    await connection.request('tools/call', { name: 'x', arguments: { a: 1 } }, { onProgress: () => {} })
    await connection.request('tasks/get', { taskId: 't' })
    const stop = connection.listen!(['t'])
    stop()
    const [call] = peer.sent('tools/call')
    expect(Object.keys(call.params).toSorted()).toEqual(['_meta', 'arguments', 'name'])
    expect(Object.keys(call.params._meta).toSorted()).toEqual([
      CAPABILITIES,
      'io.modelcontextprotocol/clientInfo',
      'io.modelcontextprotocol/protocolVersion',
      'progressToken',
    ])
    const [listen] = peer.sent('subscriptions/listen')
    expect(listen.params.notifications).toEqual({ taskIds: ['t'] })
    expect(symbolsIn(peer.received)).toEqual([])
  })

  test('the parameters of the caller are left as they were', async () => {
    const { connection, peer } = await connectToPeer()
    peer.answers['tools/call'] = () => ({ result: { resultType: 'complete', content: [] } })
    const params = Object.freeze({ name: 'x', arguments: Object.freeze({}), _meta: Object.freeze({ a: 1 }) })
    await connection.request('tools/call', params, { onProgress: () => {} })
    expect(params).toEqual({ name: 'x', arguments: {}, _meta: { a: 1 } })
  })

  test('the headers name the method and the task', async () => {
    const { client, server } = await connectToTasks()
    server.create('task-1')
    await fromClient(client).request('tasks/get', { taskId: 'task-1' })
    expect(server.received.last.headers).toMatchObject({
      'mcp-method': 'tasks/get',
      'mcp-name': 'task-1',
      'mcp-protocol-version': '2026-07-28',
    })
  })

  test.each([
    ['plan å/1', '=?base64?cGxhbiDDpS8x?='],
    ['a\nMcp-Method: tasks/cancel', '=?base64?YQpNY3AtTWV0aG9kOiB0YXNrcy9jYW5jZWw=?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
  ])('the id %j, which is no header text, is encoded in the header', async (taskId, header) => {
    const { client, server } = await connectToTasks()
    server.create(taskId)
    expect(await fromClient(client).request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' })
    expect(server.received.last.headers['mcp-name']).toBe(header)
  })

  test('arguments that a tool wants in headers are mirrored there', async () => {
    const { client, server } = await connectToTasks()
    await client.listTools()
    const result = await fromClient(client).request('tools/call', { name: 'regional', arguments: { region: 'eu' } })
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'eu' }] })
    expect(server.received.last.headers).toMatchObject({
      'mcp-param-region': 'eu',
      'mcp-name': 'regional',
    })
  })

  test('a call whose headers were refused is mended by the SDK, and the second answer is ours', async () => {
    let calls = 0
    const { url, received } = await serveByHand((body, res) => {
      const refused = body.method === 'tools/call' && ++calls === 1
      res.writeHead(refused ? 400 : 200, { 'content-type': 'application/json' })
      const error = { code: -32020, message: 'Header mismatch' }
      const result = { resultType: 'task', taskId: 't', status: 'working' }
      const tools = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] }
      const answer = refused ? { error } : { result: body.method === 'tools/list' ? tools : result }
      res.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, ...answer }))
    })
    const client = createV2()
    await client.connect(new StreamableHTTPClientTransport(url))
    expect(await fromClient(client).request('tools/call', { name: 'x' })).toMatchObject({ taskId: 't' })
    expect(received.of('tools/call')).toHaveLength(2)
  })

  test('headers of the caller are sent', async () => {
    const { client, server } = await connectToTasks()
    await fromClient(client).request('tools/call', { name: 'long' }, { headers: { 'x-tenant': 'blue' } })
    expect(server.received.last.headers['x-tenant']).toBe('blue')
  })
})

test('making a connection sends nothing and touches nothing', async () => {
  const { client, peer } = await connectToPeer()
  const before = peer.received.length
  const own = Object.getOwnPropertyDescriptors(client.transport)
  fromClient(client)
  expect(peer.received).toHaveLength(before)
  expect(Object.getOwnPropertyDescriptors(client.transport)).toEqual(own)
})

test('the same client and options give the same connection', async () => {
  const client = createV2()
  const random = () => 0
  expect(fromClient(client)).toBe(fromClient(client, {}))
  expect(fromClient(client, { endpoint: 'a', random })).toBe(fromClient(client, { random, endpoint: 'a' }))
  expect(fromClient(client, { endpoint: 'a' })).not.toBe(fromClient(client))
  expect(fromClient(createV2())).not.toBe(fromClient(client))
})

test('two connections of one client share its tap', async () => {
  const { client } = await connectToTasks()
  const [one, two] = [fromClient(client), fromClient(client, { endpoint: 'two' })]
  const seen: unknown[] = []
  one.onNotification('notifications/tasks', (params) => seen.push(params))
  await two.request('tools/call', { name: 'long' })
  expect(await one.request('tasks/get', { taskId: 'task-1' })).toMatchObject({ taskId: 'task-1' })
  expect(two.endpoint).toBe('two')
  expect(one.endpoint).not.toBe('two')
})
