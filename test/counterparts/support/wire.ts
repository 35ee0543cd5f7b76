import { isDeepStrictEqual } from 'node:util'

/** JSON as it came over the wire. */
export type Json = Record<string, any>

/** One JSON-RPC message, or an HTTP answer that bears none. */
export interface Line {
  readonly from: 'client' | 'server'
  /** What carried it: `stdio`, `GET`, or the method of the POST it was sent with or answers. */
  readonly via: string
  readonly status?: number
  readonly message: Json
}

/** Everything one connection has sent and received, in order. */
export class Wire {
  readonly lines: Line[] = []
  #waiting = new Set<() => void>()

  add(line: Line): void {
    this.lines.push(line)
    for (const check of this.#waiting) check()
  }

  /** Messages of the client with this method, and these parameters among others. */
  sent(method: string, params: Json = {}): Json[] {
    return this.lines
      .filter(({ from, message }) => from === 'client' && message['method'] === method)
      .map(({ message }) => message)
      .filter((message) =>
        Object.entries(params).every(([key, value]) => isDeepStrictEqual(message['params']?.[key], value)),
      )
  }

  /** Requests and notifications of the server with this method. */
  received(method: string): Line[] {
    return this.lines.filter(({ from, message }) => from === 'server' && message['method'] === method)
  }

  /** The server's answer to a request. */
  answer(request: Json): Line | undefined {
    return this.lines.find(
      ({ from, message }) => from === 'server' && message['id'] === request['id'] && !message['method'],
    )
  }

  /** The first line that fits, now or later. */
  line(fits: (line: Line) => boolean): Promise<Line> {
    return new Promise((resolve) => {
      const check = () => {
        const found = this.lines.find(fits)
        if (!found) return
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
}

/** A `fetch` for either SDK's transport that writes down what goes by. */
export function recordFetch(wire: Wire): typeof fetch {
  return async (input, init) => {
    const request: Json | undefined = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    const via: string = request ? (request['method'] ?? 'answer') : (init?.method ?? 'GET')
    if (request) wire.add({ from: 'client', via, message: request })
    const response = await fetch(input, init)
    const { status, headers, body } = response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream')
    if (!body || !isStream) {
      const text = body ? await response.text() : ''
      wire.add({ from: 'server', via, status, message: parse(text) ?? {} })
      return new Response(body && text, response)
    }
    wire.add({ from: 'server', via, status, message: {} })
    return new Response(
      body.pipeThrough(readEvents((message) => wire.add({ from: 'server', via, status, message }))),
      response,
    )
  }
}

/** Lets a `text/event-stream` pass and tells each message in it before it goes on. */
function readEvents(tell: (message: Json) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let text = ''
  return new TransformStream({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.+)$/m.exec(text.slice(0, end))?.[1]
        text = text.slice(end + 2)
        const message = data && parse(data)
        if (message) tell(message)
      }
      controller.enqueue(chunk)
    },
  })
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes down what either SDK's transport over stdio carries. To be called before it is connected. */
export function recordStdio(transport: Json, wire: Wire): void {
  const { send, _readBuffer: buffer } = transport
  transport['send'] = (message: Json, options: unknown) => {
    wire.add({ from: 'client', via: 'stdio', message })
    return send.call(transport, message, options)
  }
  // Below whatever else listens, which may keep a message to itself.
  const read: () => Json | null = buffer.readMessage
  buffer.readMessage = () => {
    const message = read.call(buffer)
    if (message) wire.add({ from: 'server', via: 'stdio', message })
    return message
  }
}
