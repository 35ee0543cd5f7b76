import type {
  JSONRPCMessage,
  JSONRPCRequest,
  McpRequestContext,
  MessageExtraInfo,
  Transport,
} from '@modelcontextprotocol/server'
import { serveStdio as serveSdk, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { isObject } from '../json.ts'
import { metaDeclaresTasks } from '../mcp/capabilities.ts'
import { createServer } from '../mcp/create-server.ts'
import { listenedTaskIds, serveListen } from '../mcp/listen.ts'
import type { Parts } from '../mcp/parts.ts'
import { createSession } from '../mcp/session/create-session.ts'

/** Serves MCP over this process's stdin and stdout. `ended` resolves when the client closes stdin. */
export function serveStdio(parts: Parts, log: (line: string) => void) {
  const wire = new ListeningTransport(new StdioServerTransport(), parts)
  const ended = new Promise<void>((resolve) => (wire.onend = resolve))
  const factory = ({ era }: McpRequestContext) => {
    if (era === 'legacy') return createSession(parts, log)
    const server = createServer(parts)
    const forget = parts.reports.onChange(() => void server.sendResourceListChanged().catch(() => {}))
    Object.assign(server, { onclose: forget })
    return server
  }
  const handle = serveSdk(factory, { transport: wire, onerror: (error) => log(`stdio: ${error.message}`) })
  return { ended, close: () => handle.close() }
}

/** A transport that takes subscriptions to tasks out of the stream, since the SDK's router does not know them. */
class ListeningTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  onend = () => {}
  readonly #wire: Transport
  readonly #parts: Parts
  readonly #subscriptions = new Map<string | number, AbortController>()

  constructor(wire: Transport, parts: Parts) {
    this.#wire = wire
    this.#parts = parts
  }

  async start(): Promise<void> {
    const callbacks: Pick<Transport, 'onmessage' | 'onerror' | 'onclose'> = {
      onmessage: (message, extra) => {
        if (!this.#take(message)) this.onmessage?.(message, extra)
      },
      onerror: (error) => this.onerror?.(error),
      onclose: () => {
        for (const end of this.#subscriptions.values()) end.abort()
        this.onclose?.()
        this.onend()
      },
    }
    await Object.assign(this.#wire, callbacks).start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#wire.send(message)
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  #take(message: JSONRPCMessage): boolean {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const end = this.#subscriptions.get(message.params?.['requestId'] as string | number)
      end?.abort()
      return end !== undefined
    }
    if (!listenedTaskIds(message) || !('id' in message)) return false
    const request = message as JSONRPCRequest
    // Refused by the SDK's router, as any filter without a word it knows.
    if (!isObject(request.params) || !metaDeclaresTasks(request.params['_meta'])) return false
    const end = new AbortController()
    this.#subscriptions.set(request.id, end)
    const send = (frame: JSONRPCMessage) => {
      if (!end.signal.aborted) void this.send(frame).catch((error: Error) => this.onerror?.(error))
    }
    void serveListen(this.#parts, request, end.signal, send)
      .catch((error: Error) =>
        send({ jsonrpc: '2.0', id: request.id, error: { code: -32603, message: error.message } }),
      )
      .finally(() => this.#subscriptions.delete(request.id))
    return true
  }
}
