import { fromClient } from '@mcp-task-machine/core/mcp'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { createV1, createV2 } from './fixtures/clients.ts'
import { tasksProgram } from './fixtures/servers.ts'
import { serveTasks } from './fixtures/http.ts'
import { connectOverHttp, kinds } from './fixtures/legacy.ts'
import { createPeer, TASKS } from './fixtures/peer.ts'

const endpointOver = (transport: object | undefined, name?: string) =>
  fromClient({
    transport,
    getServerVersion: () => (name === undefined ? undefined : { name }),
    getServerCapabilities: () => ({}),
    request: async () => ({}),
    callTool: async () => ({}),
  }).endpoint

test.each([StreamableHTTPClientTransport, HttpV1, SSEClientTransport])(
  'an HTTP endpoint is origin and path: no credentials, no query, no fragment',
  (Transport) => {
    const url = new URL('https://user:secret@example.com:8443/some/mcp?token=secret#top')
    expect(endpointOver(new Transport(url) as object)).toBe('https://example.com:8443/some/mcp')
  },
)

test.each([StdioClientTransport, StdioV1])('a child process is its command and its arguments, unread', (Transport) => {
  const endpoint = (args?: string[]) => endpointOver(new Transport({ command: 'serve', ...(args && { args }) }))
  expect(endpoint(['--key', 'secret'])).toMatch(/^stdio:serve#\w+$/)
  expect(endpoint(['--key', 'secret'])).toBe(endpoint(['--key', 'secret']))
  expect(endpoint(['--key', 'secret'])).not.toContain('secret')
  expect(new Set([endpoint(), endpoint(['a b']), endpoint(['a', 'b']), endpoint(['b', 'a'])]).size).toBe(4)
})

test('any other server goes by its name', async () => {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  const connection = fromClient(client)
  expect(connection.endpoint).toBe('')
  await client.connect(peer.transport)
  expect(connection.endpoint).toBe('peer')
})

test('what the option says wins', async () => {
  const client = createV2()
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [tasksProgram] }))
  expect(fromClient(client, { endpoint: 'mine' }).endpoint).toBe('mine')
})

test('the endpoint outlives its connection and is the same over the next', async () => {
  const server = await serveTasks()
  const client = createV2()
  const connection = fromClient(client)
  await client.connect(new StreamableHTTPClientTransport(server.url))
  const { endpoint } = connection
  expect(endpoint).toBe(server.url.href)
  await client.close()
  expect(connection.endpoint).toBe(endpoint)
  await client.connect(new StreamableHTTPClientTransport(new URL('?again', server.url)))
  expect(connection.endpoint).toBe(endpoint)
})

test('a client of SDK 1.x tells it too', async () => {
  const peer = await createPeer('2025-11-25', {})
  const client = createV1()
  await client.connect(peer.transport as never)
  expect(fromClient(client).endpoint).toBe('peer')
})

test.each(kinds)('one session is told from the next, without its id, with %s', async (kind) => {
  const { client, connect } = await connectOverHttp(kind)
  const connection = fromClient(client)
  const { session } = connection
  expect(session).toMatch(/^[a-z0-9]+$/)
  expect(session).not.toBe((client.transport as { sessionId?: string }).sessionId)
  await client.close()
  await connect()
  expect(connection.session).not.toBe(session)
})

test('who is logged in makes a connection of its own', () => {
  const client = createV2()
  const ada = fromClient(client, { principal: 'ada' })
  expect(ada.principal).toBe('ada')
  expect(fromClient(client, { principal: 'ada' })).toBe(ada)
  expect(fromClient(client, { principal: 'bob' })).not.toBe(ada)
  expect(fromClient(client).principal).toBeUndefined()
})
