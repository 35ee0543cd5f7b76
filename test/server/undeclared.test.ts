import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: true })
})
afterAll(() => server.close())

const noCapabilities = { 'io.modelcontextprotocol/clientCapabilities': {} }
const missing = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

test.each([
  ['a tool that insists on a task', 'tools/call', { name: 'failing_job', arguments: {} }],
  ['a task read', 'tasks/get', { taskId: 'x' }],
  ['a subscription to tasks', 'subscriptions/listen', { notifications: { taskIds: ['x'] } }],
])('%s needs a client that declares the extension', async (_what, method, params) => {
  const response = await httpWire(server.url, { knowsTasks: false }).post(method, params)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: -32021, data: missing } })
})

test('a question for a client that cannot ask anybody ends the work', async () => {
  const book = { name: 'book_trip', arguments: { destination: 'Oslo', seconds: 0 }, _meta: { ...noCapabilities } }
  const response = await httpWire(server.url, { knowsTasks: false }).post('tools/call', book)
  expect(await response.json()).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
  })
})

test('a subscription whose headers do not match its body is refused like any request', async () => {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { taskIds: ['x'] },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: -32020 } })
})

test('a page of another site is turned away, a page of this machine may call', async () => {
  const preflight = (origin: string) =>
    fetch(server.url, { method: 'OPTIONS', headers: { origin, 'access-control-request-headers': 'mcp-method' } })
  expect((await preflight('https://elsewhere.example')).status).toBe(403)
  const allowed = await preflight('http://localhost:5173')
  expect(allowed.status).toBe(204)
  expect(allowed.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
})
