import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands where clients look for the server, whichever process that is at the time, and writes down what they send. */
export class Proxy {
  /** Where the server is. */
  target = ''
  /** The methods received, in order. */
  readonly methods: string[] = []
  readonly #http = createServer((from, to) => void this.#pass(from, to))
  /** Requests of this method find no server. */
  refused: string | undefined
  #keeps: { readonly method: string; readonly kept: () => void } | undefined

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`
  }

  close(): void {
    this.#http.close()
    this.#http.closeAllConnections()
  }

  /** Keeps back the next answer to this method; resolves once the server has given it. */
  keepAnswer(method: string): Promise<void> {
    return new Promise((resolve) => (this.#keeps = { method, kept: resolve }))
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of from) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const method: string | undefined = body.length > 0 ? JSON.parse(body.toString()).method : undefined
    if (method) this.methods.push(method)
    if (method && method === this.refused) return void to.destroy()
    const keeps = this.#keeps?.method === method ? this.#keeps : undefined
    if (keeps) this.#keeps = undefined
    const { host: _ours, ...headers } = from.headers
    const onward = request(this.target, { method: from.method, headers })
    // A server that was killed is seen from the other side as what it is: a connection that breaks.
    onward.on('error', () => to.destroy())
    onward.on('response', (answer) => {
      answer.on('error', () => to.destroy())
      if (keeps) return void answer.resume().on('end', keeps.kept)
      to.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(to)
    })
    to.on('close', () => onward.destroy())
    onward.end(body)
  }
}
