import { createTaskRunner } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createV1, createV2, createV2Legacy, silence } from './fixtures/clients.ts'
import { serveByHand } from './fixtures/http.ts'
import { connectOverHttp, kinds, legacyClients } from './fixtures/legacy.ts'
import { modernTransports } from './fixtures/modern.ts'
import { AUGMENTED, createPeer, TASKS } from './fixtures/peer.ts'

test.each(Object.entries(modernTransports))('the end of a connection over %s is told once', async (_, transport) => {
  const client = createV2()
  const [ofApp, ofTransport, ours, late] = [
    vi.fn<(value?: any) => void>(),
    vi.fn<(value?: any) => void>(),
    vi.fn<(value?: any) => void>(),
    vi.fn<(value?: any) => void>(),
  ]
  Object.assign(client, { onclose: ofApp })
  const connected = await transport()
  Object.assign(connected, { onclose: ofTransport })
  await client.connect(connected)
  ofTransport.mockClear()
  const connection = fromClient(client)
  connection.onClose(ours)
  connection.onClose(late)()
  await client.close()
  expect(ours).toHaveBeenCalledOnce()
  expect(late).not.toHaveBeenCalled()
  expect(ofApp).toHaveBeenCalledOnce()
  expect(ofTransport).toHaveBeenCalledOnce()
})

describe.each([
  ['2026-07-28 and SDK 2.x', '2026-07-28', createV2],
  ['2025-11-25 and SDK 2.x', '2025-11-25', createV2Legacy],
  ['2025-11-25 and SDK 1.x', '2025-11-25', createV1],
] as const)('%s', (_, version, create) => {
  async function connect(client: ReturnType<typeof create>) {
    const peer = await createPeer(version, version === '2026-07-28' ? TASKS : AUGMENTED)
    await client.connect(peer.transport as never)
    return peer
  }

  test('a connection that the server ends is told after the requests on it were given up', async () => {
    const client = create()
    const peer = await connect(client)
    const connection = fromClient(client)
    peer.answers['tasks/get'] = () => 'none'
    const open = connection.request('tasks/get', { taskId: 't' })
    const told = new Promise((resolve) => void connection.onClose(() => resolve(connection.generation)))
    await peer.far.close()
    expect(await told).toBe('none')
    await expect(open).rejects.toMatchObject({ reason: 'closed', code: undefined })
  })

  test('a listener hears the end of every later connection of the client', async () => {
    const client = create()
    const listener = vi.fn<(value?: any) => void>()
    const connection = fromClient(client)
    connection.onClose(listener)
    for (const times of [1, 2]) {
      const peer = await connect(client)
      peer.answers['tasks/get'] = () => ({ result: { resultType: 'complete', taskId: 't' } })
      await connection.request('tasks/get', { taskId: 't' })
      await peer.far.close()
      expect(listener).toHaveBeenCalledTimes(times)
    }
  })
})

describe.each(kinds)('a 2025-11-25 session with %s', (kind) => {
  test('that the server has forgotten is told once, and ends the request', async () => {
    const { client, sessions, connect } = await connectOverHttp(kind)
    silence(client)
    const connection = fromClient(client)
    const listener = vi.fn<(value?: any) => void>()
    connection.onClose(listener)
    sessions.clear()
    const reads = [1, 2].map(() => connection.request('tasks/get', { taskId: 't' }))
    for (const read of reads)
      await expect(read).rejects.toMatchObject({
        reason: 'closed',
        status: 404,
        code: -32001,
        message: 'Session not found',
      })
    expect(listener).toHaveBeenCalledOnce()
    expect(listener.mock.calls[0]![0]).toMatchObject({ reason: 'closed', status: 404 })
    await client.close()
    await connect()
    expect(await connection.request('tasks/list', {})).toMatchObject({ tasks: [] })
  })

  const json = 'application/json'
  const gone = (id: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } })
  test.each([
    ['HTTP status 410', 410, 'text/plain', () => 'Gone'],
    ['HTTP status 410 and an error', 410, json, gone],
    ['an error in an answer of status 200', 200, json, gone],
    ['an error event in a stream', 200, 'text/event-stream', (id: unknown) => `event: message\ndata: ${gone(id)}\n\n`],
  ])(
    'that is gone by %s is told once: the run rests, its task is known, and it goes on',
    async (_, status, type, body) => {
      const { create, Http } = legacyClients[kind]
      let isGone = false
      const task = { taskId: 't', status: 'working', ttl: null, createdAt: '', lastUpdatedAt: '', pollInterval: 50 }
      const { url, received } = await serveByHand(({ id, method }, res) => {
        const tools = [{ name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }]
        const result = { 'tools/list': { tools }, 'tools/call': { task }, 'tasks/get': task }[method as string]
        const isLost = isGone && method === 'tasks/get'
        res.writeHead(isLost ? status : 200, { 'content-type': isLost ? type : json })
        res.end(isLost ? body(id) : JSON.stringify({ jsonrpc: '2.0', id, result }))
      }, 'session-1')
      const client = create()
      silence(client)
      await client.connect(new Http(url) as never)
      const runner = createTaskRunner({ connection: fromClient(client), tool: 'work', minPollInterval: 1 })
      const unsubscribe = runner.subscribe(() => {})
      onTestFinished(() => (unsubscribe(), runner.dispose()))
      await runner.fire()
      await received.arrival('tasks/get')
      isGone = true
      await vi.waitFor(() => expect(runner.getSnapshot().detachedBecause).toBe('connection'))
      expect(runner.getSnapshot()).toMatchObject({ phase: 'working', task: { taskId: 't' }, isStale: true })
      const reads = received.of('tasks/get').length
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(received.of('tasks/get')).toHaveLength(reads)

      isGone = false
      const next = create()
      await next.connect(new Http(url) as never)
      runner.useConnection(fromClient(next))
      await vi.waitFor(() => expect(received.of('tasks/get').length).toBeGreaterThan(reads))
      expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: null })
      expect(received.of('tools/call')).toHaveLength(1)
    },
  )

  test('is not gone because the server lacks a method', async () => {
    const { create, Http } = legacyClients[kind]
    const { url } = await serveByHand(({ id }, res) => {
      res.writeHead(404, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
    }, 'session-1')
    const client = create()
    silence(client)
    await client.connect(new Http(url) as never)
    const connection = fromClient(client)
    const listener = vi.fn<(value?: any) => void>()
    connection.onClose(listener)
    await expect(connection.request('tasks/result', { taskId: 't' })).rejects.toMatchObject({
      reason: 'answer',
      code: -32601,
    })
    expect(listener).not.toHaveBeenCalled()
  })
})
