import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  hostHeaderValidation,
  localhostOriginValidation,
  toNodeHandler,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isLegacyRequest,
  localhostAllowedHostnames,
  readRequestBody,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server'
import { createServer } from '../mcp/create-server.ts'
import { listenedTaskIds } from '../mcp/listen.ts'
import type { Parts } from '../mcp/parts.ts'
import { allowBrowser } from './cors.ts'
import { HttpListen } from './http-listen.ts'
import { HttpSessions } from './http-sessions.ts'

const PATH = '/mcp'
const EVERY_INTERFACE = new Set(['0.0.0.0', '::'])
const PORTS_TRIED = 100

/** Where to listen. */
export interface HttpOptions {
  readonly host: string
  /** The first port to try; 0 takes any. */
  readonly port: number
  readonly log: (line: string) => void
}

/** Serves both generations of MCP over Streamable HTTP, at one URL. */
export async function serveHttp(parts: Parts, { host, port, log }: HttpOptions) {
  const handler = createMcpHandler(() => createServer(parts), {
    legacy: 'reject',
    onerror: (error) => log(`http: ${error.message}`),
  })
  const sessions = new HttpSessions(parts, log)
  const listen = new HttpListen(parts)
  const forget = parts.reports.onChange(() => handler.notify.resourcesChanged())

  const respond = async (request: Request): Promise<Response> => {
    if (await isLegacyRequest(request)) return sessions.respond(request)
    if (request.headers.get('mcp-method') !== 'subscriptions/listen') return handler.fetch(request)
    const body = await readRequestBody(request.clone() as Request)
    const message = body.tooLarge ? undefined : parseJson(body.text)
    if (!listenedTaskIds(message)) return handler.fetch(request)
    return listen.respond(request, message as JSONRPCRequest, handler)
  }
  const serveMcp = toNodeHandler({ fetch: respond })
  // A page of another site must not reach a server on this machine through its user's browser.
  const hostAllowed = EVERY_INTERFACE.has(host)
    ? () => true
    : hostHeaderValidation([...localhostAllowedHostnames(), host])
  const originAllowed = localhostOriginValidation()

  const server = createHttpServer((request, response) => {
    if (!hostAllowed(request, response) || !originAllowed(request, response)) return
    if (allowBrowser(request, response)) return
    if (new URL(request.url ?? '/', 'http://localhost').pathname === PATH) {
      sessions.watch(request, response)
      void serveMcp(request as NodeIncomingMessageLike, response)
    } else response.writeHead(404, { 'content-type': 'text/plain' }).end(`MCP is served at ${PATH}.\n`)
  })
  const { port: taken } = await listenOnFreePort(server, host, port)
  return {
    url: `http://${EVERY_INTERFACE.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${taken}${PATH}`,
    async close() {
      forget()
      listen.close()
      await sessions.close()
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listenOnFreePort(server: Server, host: string, first: number): Promise<AddressInfo> {
  for (let port = first; ; port++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return server.address() as AddressInfo
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || first === 0 || port >= first + PORTS_TRIED)
        throw error
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
