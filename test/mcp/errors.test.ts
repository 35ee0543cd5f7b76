import { fromClient, RequestError } from '@mcp-task-machine/core/mcp'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { createV1, createV2, createV2Legacy, silence } from './fixtures/clients.ts'
import { tasksProgram } from './fixtures/servers.ts'
import { serveByHand } from './fixtures/http.ts'
import { AUGMENTED, createPeer, TASKS } from './fixtures/peer.ts'

const clients = [
  ['2026-07-28 and SDK 2.x', '2026-07-28', createV2, StreamableHTTPClientTransport],
  ['2025-11-25 and SDK 2.x', '2025-11-25', createV2Legacy, StreamableHTTPClientTransport],
  ['2025-11-25 and SDK 1.x', '2025-11-25', createV1, HttpV1],
] as const

type Answer = (body: any, res: ServerResponse) => void

const json = (res: ServerResponse, status: number, body: object, headers = {}) =>
  void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** All that can be read of a failure, also what is not there. */
async function failure(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(RequestError)
  const { name, reason, message, code, data, status, retryAfter, cause } = error
  return { name, reason, message, code, data, status, retryAfter, cause }
}

describe.each(clients)('%s', (_, version, create, Http) => {
  async function connectOverHttp(answer: Answer, options = {}) {
    const { url, received } = await serveByHand(answer)
    const client = create()
    silence(client)
    await client.connect(new Http(url, options) as never)
    return { client, received, connection: fromClient(client) }
  }
  async function connectToPeer() {
    const peer = await createPeer(version, version === '2026-07-28' ? TASKS : AUGMENTED)
    const client = create()
    silence(client)
    await client.connect(peer.transport as never)
    return { peer, client, connection: fromClient(client) }
  }
  const read = (answer: Answer, options?: object) =>
    connectOverHttp(answer, options).then(({ connection }) => failure(connection.request('tasks/get', { taskId: 't' })))

  test('a JSON-RPC error keeps its code and data, and its text without what the SDKs put before it', async () => {
    const { peer, connection } = await connectToPeer()
    const message = 'MCP error -32602: MCP error -32602: Task not found'
    peer.answers['tasks/get'] = () => ({ error: { code: -32602, message, data: { at: 'store' } } })
    const error = await failure(connection.request('tasks/get', { taskId: 't' }))
    expect(error).toMatchObject({
      name: 'RequestError',
      reason: 'answer',
      code: -32602,
      data: { at: 'store' },
      message: 'Task not found',
      status: undefined,
    })
    expect(error.cause).toBeInstanceOf(Error)
  })

  test.each([-32000, -32001, -32042, 404])('code %i from the server is an answer like any other', async (code) => {
    const { peer, connection } = await connectToPeer()
    peer.answers['tasks/get'] = () => ({ error: { code, message: 'Says the server' } })
    expect(await failure(connection.request('tasks/get', { taskId: 't' }))).toMatchObject({
      reason: 'answer',
      code,
      message: 'Says the server',
      status: undefined,
    })
  })

  test.each([
    [404, { code: -32601, message: 'Method not found' }],
    [400, { code: -32021, message: 'Missing', data: { requiredCapabilities: { extensions: {} } } }],
    [400, { code: -32602, message: 'Invalid' }],
    [500, { code: -32603, message: 'Oops' }],
  ])('a JSON-RPC error in a body with HTTP status %i is found: %j', async (status, answer) => {
    const error = await read(({ id }, res) => json(res, status, { jsonrpc: '2.0', id, error: answer }))
    expect(error).toMatchObject({ reason: 'answer', status, ...answer })
  })

  test.each([
    [429, { 'retry-after': '7' }, 7000],
    [503, { 'retry-after': '0' }, 0],
    [503, {}, undefined],
    [503, { 'retry-after': 'soon' }, undefined],
    [500, {}, undefined],
  ])('HTTP status %i with headers %j says how long to wait: %s', async (status, headers, retryAfter) => {
    const error = await read((_body, res) => void res.writeHead(status, headers).end('busy'))
    expect(error).toMatchObject({ reason: 'http', status, retryAfter, code: undefined })
    expect(error.message).toBe(`The server answered with HTTP status ${status}.`)
  })

  test('a date to wait for counts from now', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString()
    const { retryAfter } = await read((_body, res) => void res.writeHead(429, { 'retry-after': date }).end())
    expect(retryAfter).toBeGreaterThan(50_000)
    expect(retryAfter).toBeLessThanOrEqual(60_000)
  })

  test('each of several requests is told its own wait', async () => {
    const { connection } = await connectOverHttp(({ params }, res) => {
      res.writeHead(429, { 'retry-after': params.taskId }).end()
    })
    const waits = ['3', '1', '2'].map((taskId) => failure(connection.request('tasks/get', { taskId })))
    expect((await Promise.all(waits)).map(({ retryAfter }) => retryAfter)).toEqual([3000, 1000, 2000])
  })

  test('the fetch that the app gave to its transport is used and sees every request', async () => {
    const own = vi.fn<typeof fetch>(fetch)
    const error = await read((_body, res) => void res.writeHead(429, { 'retry-after': '1' }).end(), { fetch: own })
    expect(error).toMatchObject({ status: 429, retryAfter: 1000 })
    expect(own.mock.calls.some(([, init]) => `${init?.body}`.includes('tasks/get'))).toBe(true)
  })

  test('headers of the caller are sent, and change none of those that the transport sets', async () => {
    const { connection, received } = await connectOverHttp(({ id }, res) =>
      json(res, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete' } }),
    )
    await connection.request(
      'tasks/get',
      { taskId: 't' },
      { headers: { 'x-tenant': 'blue', 'Content-Type': 'text/x' } },
    )
    expect(received.last.headers).toMatchObject({ 'x-tenant': 'blue', 'content-type': 'application/json' })
    await connection.request('tasks/get', { taskId: 't' })
    expect(received.last.headers['x-tenant']).toBeUndefined()
  })

  test.each([401, 403])('HTTP status %i is told', async (status) => {
    const error = await read((_body, res) => void res.writeHead(status).end('no'))
    expect(error).toMatchObject({ reason: 'http', status })
  })

  test('a server that is not there has received nothing', async () => {
    const gone = await new Promise<URL>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(new URL(`http://127.0.0.1:${port}/`)))
      })
    })
    const error = await read(() => {}, {
      fetch: (url: URL, init: RequestInit) => fetch(`${init.body}`.includes('tasks/get') ? gone : url, init),
    })
    expect(error).toMatchObject({ reason: 'not-sent' })
  })

  test('a connection that broke may have carried the request', async () => {
    expect(await read((_body, res) => void res.destroy())).toMatchObject({ reason: 'network', code: undefined })
  })

  test('an answer that broke off is a broken connection', async () => {
    const error = await read((_body, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      res.write('{"jsonrpc":')
      setImmediate(() => res.destroy())
    })
    expect(error).toMatchObject({ reason: 'network' })
  })

  test.each([
    ['is no JSON', 'application/json', 'no'],
    ['is no JSON-RPC', 'application/json', '{"a":1}'],
    ['is a page', 'text/html', '<html></html>'],
  ])('an answer that %s is malformed', async (_what, type, body) => {
    const error = await read((_body, res) => void res.writeHead(200, { 'content-type': type }).end(body))
    expect(error).toMatchObject({ reason: 'malformed', code: undefined, status: undefined })
  })

  test('a timeout is ours: it has no code', async () => {
    const { peer, connection } = await connectToPeer()
    peer.answers['tasks/get'] = () => 'none'
    const error = await failure(connection.request('tasks/get', { taskId: 't' }, { timeout: 5 }))
    expect(error).toMatchObject({ reason: 'timeout', code: undefined, message: 'Request timed out' })
  })

  test('a timeout longer than a timer can be is no timeout at once', async () => {
    const { peer, connection } = await connectToPeer()
    const result = { resultType: 'complete', taskId: 't' }
    peer.answers['tasks/get'] = () => new Promise((resolve) => void setTimeout(resolve, 20, { result }))
    expect(await connection.request('tasks/get', { taskId: 't' }, { timeout: Infinity })).toBe(result)
  })

  test('an abort under way may have left something at the server, one beforehand not', async () => {
    const { peer, connection } = await connectToPeer()
    const controller = new AbortController()
    const arrived = new Promise<void>((resolve) => {
      peer.answers['tools/call'] = () => {
        resolve()
        return 'none'
      }
    })
    const open = connection.request('tools/call', { name: 'x' }, { signal: controller.signal })
    await arrived
    controller.abort(new Error('Request timed out'))
    expect(await failure(open)).toMatchObject({ reason: 'aborted', code: undefined })
    const late = await failure(connection.request('tools/call', { name: 'x' }, { signal: controller.signal }))
    expect(late).toMatchObject({ reason: 'not-sent', cause: controller.signal.reason })
    expect(peer.sent('tools/call')).toHaveLength(1)
  })

  test('an answer that comes too late is nobody’s', async () => {
    const { peer, connection } = await connectToPeer()
    let id: unknown
    peer.answers['tasks/get'] = (_params, requestId) => {
      id = requestId
      return 'none'
    }
    await failure(connection.request('tasks/get', { taskId: 't' }, { timeout: 5 }))
    await peer.send({ id, result: { resultType: 'complete', taskId: 't' } })
    peer.answers['tasks/get'] = () => ({ result: { resultType: 'complete', taskId: 'u' } })
    expect(await connection.request('tasks/get', { taskId: 'u' })).toMatchObject({ taskId: 'u' })
  })

  test('a client that was closed has sent nothing', async () => {
    const { client, connection } = await connectToPeer()
    await client.close()
    const error = await failure(connection.request('tasks/get', { taskId: 't' }))
    expect(error).toMatchObject({ reason: 'not-connected' })
  })
})

describe.each(clients.slice(0, 2))('%s', (_, __, create) => {
  test('a stream that ends before the answer is a broken connection, told at once', async () => {
    const { url } = await serveByHand((_body, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
    })
    const client = create()
    await client.connect(new StreamableHTTPClientTransport(url))
    const error = await failure(fromClient(client).request('tools/call', { name: 'x' }))
    expect(error).toMatchObject({ reason: 'network', code: undefined })
  })

  test('a stream that ends after the answer is the end of it', async () => {
    const { url } = await serveByHand((body, res) => {
      const result = { resultType: 'complete', content: [] }
      const frame = JSON.stringify({ jsonrpc: '2.0', id: body.id, result })
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: message\ndata: ${frame}\n\n`)
    })
    const client = create()
    const onerror = vi.fn<(value?: any) => void>()
    Object.assign(client, { onerror })
    await client.connect(new StreamableHTTPClientTransport(url))
    const connection = fromClient(client)
    expect(await connection.request('tools/call', { name: 'x' })).toMatchObject({ content: [] })
    expect(await connection.request('tools/call', { name: 'x' })).toMatchObject({ content: [] })
    expect(onerror).not.toHaveBeenCalled()
  })
})

test('on 2026-07-28 an abort under way closes the stream of the call at the server', async () => {
  let closed: (value: unknown) => void
  const end = new Promise((resolve) => (closed = resolve))
  const { url, received } = await serveByHand((_body, res) => void res.on('close', closed))
  const client = createV2()
  await client.connect(new StreamableHTTPClientTransport(url))
  const controller = new AbortController()
  const open = failure(fromClient(client).request('tools/call', { name: 'x' }, { signal: controller.signal }))
  await received.arrival('tools/call')
  controller.abort()
  expect(await open).toMatchObject({ reason: 'aborted' })
  await end
})

test('what counts is the last answer, also after the SDK has sent a request again', async () => {
  const refused = { code: -32020, message: 'Header mismatch' }
  let calls = 0
  const { url } = await serveByHand(({ id, method }, res) => {
    if (method === 'tools/list')
      return json(res, 200, {
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] },
      })
    if (++calls === 1) return json(res, 400, { jsonrpc: '2.0', id, error: refused })
    return void res.writeHead(429).end()
  })
  const client = createV2()
  silence(client)
  await client.connect(new StreamableHTTPClientTransport(url))
  const error = await failure(fromClient(client).request('tools/call', { name: 'x' }))
  expect(error).toMatchObject({ reason: 'http', status: 429, code: undefined })
})

test('an answer after a renewed authorization has no trace of the refused one', async () => {
  let isAuthorized = false
  const { url } = await serveByHand(({ id }, res) => {
    if (!isAuthorized) return void res.writeHead(401).end()
    return json(res, 200, { jsonrpc: '2.0', id, error: { code: -32602, message: 'Task not found' } })
  })
  const authProvider = {
    token: async () => 'token',
    onUnauthorized: async () => {
      isAuthorized = true
    },
  }
  const client = createV2()
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
  const error = await failure(fromClient(client).request('tasks/get', { taskId: 't' }))
  expect(error).toMatchObject({ reason: 'answer', code: -32602, status: undefined })
})

test('a method that the protocol version does not have is not sent', async () => {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  await client.connect(peer.transport)
  const error = await failure(fromClient(client).request('tasks/result', { taskId: 't' }))
  expect(error).toMatchObject({ reason: 'not-sent' })
  expect(error.message).toContain('tasks/result')
})

test('a server process that dies ends what is under way', async () => {
  const client = createV2()
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [tasksProgram] }))
  const connection = fromClient(client)
  const told = new Promise((resolve) => void connection.onClose(resolve))
  const error = await failure(connection.request('tools/call', { name: 'crash' }))
  expect(error).toMatchObject({ reason: 'closed', code: undefined })
  await told
})
