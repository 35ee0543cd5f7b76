import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Parts } from '../mcp/parts.ts'
import { createSession } from '../mcp/session/create-session.ts'

const SESSION_HEADER = 'mcp-session-id'
const MAX_SESSIONS = 1000
// What a timer can wait at most.
const LONGEST_MS = 2 ** 31 - 1

/** The sessions of MCP 2025-11-25. They live in this process and end with it; their tasks do not. */
export class HttpSessions {
  readonly #parts: Parts
  readonly #log: (line: string) => void
  readonly #open = new Map<string, HttpSession>()

  constructor(parts: Parts, log: (line: string) => void) {
    this.#parts = parts
    this.#log = log
  }

  /** Serves a request within its session; `initialize` begins one. */
  async respond(request: Request): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER)
    if (id === null) return this.#begin(request)
    const session = this.#open.get(id)
    if (session) {
      const response = await session.transport.handleRequest(request)
      return request.method === 'GET' && response.ok ? sentAtOnce(response) : response
    }
    const error = { code: -32001, message: 'Session not found' }
    return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
  }

  /** Counts a request and its answer, however long that takes, as use of its session. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const session = this.#open.get(String(request.headers[SESSION_HEADER]))
    if (!session) return
    session.enter()
    response.once('close', () => {
      session.leave()
      // The SDK would notice with its next message only, and refuse the client's next stream until then.
      if (request.method === 'GET' && response.statusCode === 200) session.transport.closeStandaloneSSEStream()
    })
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ transport }) => transport.close()))
  }

  async #begin(request: Request): Promise<Response> {
    // Clients often leave without a word: the oldest session that is not in use makes room.
    if (this.#open.size >= MAX_SESSIONS) await [...this.#open.values()].find(({ idle }) => idle)?.transport.close()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#open.set(id, new HttpSession(transport, this.#parts.settings.sessionIdleMs))
      },
    })
    const onclose = () => {
      const { sessionId } = transport
      if (sessionId === undefined) return
      // In use for good: it needs no timer any more.
      this.#open.get(sessionId)?.enter()
      this.#open.delete(sessionId)
    }
    const onerror = (error: Error) => this.#log(`http: ${error.message}`)
    Object.assign(transport, { onclose, onerror })
    await createSession(this.#parts, this.#log).connect(transport)
    const response = await transport.handleRequest(request)
    // Anything but `initialize` has been refused.
    if (transport.sessionId === undefined) await transport.close()
    return response
  }
}

/** Headers leave Node with the first byte of the body, and a client may wait for them before it goes on. */
function sentAtOnce(response: Response): Response {
  const begin = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
  })
  return new Response(response.body?.pipeThrough(begin), response)
}

/** A session, and whether it is in use. */
class HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly #idleMs: number
  #inUse = 0
  #timer: NodeJS.Timeout | undefined

  constructor(transport: WebStandardStreamableHTTPServerTransport, idleMs: number) {
    this.transport = transport
    this.#idleMs = Math.min(idleMs, LONGEST_MS)
    this.#rest()
  }

  get idle(): boolean {
    return this.#inUse === 0
  }

  enter(): void {
    this.#inUse += 1
    clearTimeout(this.#timer)
  }

  leave(): void {
    this.#inUse -= 1
    if (this.idle) this.#rest()
  }

  #rest(): void {
    this.#timer = setTimeout(() => void this.transport.close(), this.#idleMs)
    this.#timer.unref()
  }
}
