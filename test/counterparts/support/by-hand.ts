import type { ServerResponse } from 'node:http'
import { startHttp } from '../../mcp/fixtures/http.ts'
import type { Json } from './wire.ts'

type Answer =
  | { readonly result: Json }
  | { readonly error: Json }
  | { readonly status: number; readonly headers?: Json; readonly body?: Json }

/** Gives the answer to one request, by what was asked and how many of this method there were before. */
export type Answers = Readonly<Record<string, (params: Json, before: number) => Answer>>

const TOOLS = { tools: {} }
const serverInfo = { name: 'by-hand', version: '1.0.0' }

/**
 * A server over HTTP that answers as no program does that can be had: both generations, any status, body and header. It ends with
 * the test. All its tools may become tasks.
 */
export function serveByHand(answers: Answers, capabilities: Json = {}): Promise<URL> {
  const counts: Record<string, number> = {}
  const always: Answers = {
    initialize: () => ({
      result: {
        protocolVersion: '2025-11-25',
        serverInfo,
        capabilities: { ...TOOLS, tasks: { requests: { tools: { call: {} } }, ...capabilities } },
      },
    }),
    'server/discover': () => ({
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { ...TOOLS, extensions: { 'io.modelcontextprotocol/tasks': {} } },
        ttlMs: 0,
        cacheScope: 'private',
      },
    }),
    'tools/list': () => ({
      result: {
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        tools: [{ name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
      },
    }),
    ...answers,
  }
  return startHttp(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method, params = {} } = JSON.parse(text)
    if (id === undefined) return void response.writeHead(202).end()
    const before = (counts[method] = (counts[method] ?? -1) + 1)
    const answer = always[method]?.(params, before) ?? { error: { code: -32601, message: 'Method not found' } }
    send(response, id, answer)
  })
}

function send(response: ServerResponse, id: unknown, answer: Answer): void {
  const { status, headers, body } = 'status' in answer ? answer : { status: 200, headers: {}, body: answer }
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body && JSON.stringify({ jsonrpc: '2.0', id, ...body }))
}
