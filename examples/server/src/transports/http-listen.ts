import type { JSONRPCMessage, JSONRPCRequest, McpHttpHandler } from '@modelcontextprotocol/server'
import { isObject } from '../json.ts'
import { metaDeclaresTasks, missingCapability } from '../mcp/capabilities.ts'
import { serveListen } from '../mcp/listen.ts'
import type { Parts } from '../mcp/parts.ts'
import { TASKS_EXTENSION } from '../mcp/words.ts'

const KEEP_ALIVE_MS = 15_000
const MAX_SUBSCRIPTIONS = 1024

/** Serves `subscriptions/listen` with task ids over Server-Sent Events. */
export class HttpListen {
  readonly #parts: Parts
  readonly #open = new Set<AbortController>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The SDK's handler checks the request as it checks any other; only the stream it would answer with is replaced. */
  async respond(request: Request, message: JSONRPCRequest, handler: McpHttpHandler): Promise<Response> {
    const checked = await handler.fetch(request, { parsedBody: message })
    if (!checked.headers.get('content-type')?.startsWith('text/event-stream')) return checked
    await checked.body?.cancel()
    if (!isObject(message.params) || !metaDeclaresTasks(message.params['_meta']))
      return refusal(message, missingCapability({ extensions: { [TASKS_EXTENSION]: {} } }), 400)
    if (this.#open.size >= MAX_SUBSCRIPTIONS)
      return refusal(message, { code: -32603, message: 'Too many subscriptions are open.' }, 200)
    return new Response(this.#stream(message), {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    })
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const end of this.#open) end.abort()
  }

  #stream(message: JSONRPCRequest): ReadableStream<Uint8Array> {
    const end = new AbortController()
    const encoder = new TextEncoder()
    this.#open.add(end)
    return new ReadableStream({
      start: (controller) => {
        const write = (text: string) => {
          if (!end.signal.aborted) controller.enqueue(encoder.encode(text))
        }
        const keepAlive = setInterval(() => write(': keep-alive\n\n'), KEEP_ALIVE_MS)
        const send = (frame: JSONRPCMessage) => write(`event: message\ndata: ${JSON.stringify(frame)}\n\n`)
        const done = serveListen(this.#parts, message, end.signal, send)
        void done
          .catch((error: Error) =>
            send({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: error.message } }),
          )
          .finally(() => {
            clearInterval(keepAlive)
            this.#open.delete(end)
            // The client may have closed it already.
            try {
              controller.close()
            } catch {}
          })
      },
      cancel: () => end.abort(),
    })
  }
}

function refusal(request: JSONRPCRequest, error: { code: number; message: string; data?: unknown }, status: number) {
  const { code, message, data } = error
  return Response.json({ jsonrpc: '2.0', id: request.id, error: { code, message, data } }, { status })
}
