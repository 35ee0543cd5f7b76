/** A transport of either SDK to a server in this process: the answer comes one microtask after the request. */
export class Transport {
  onmessage
  onclose
  onerror
  #server

  constructor(server) {
    this.#server = server
    server.notify = (method, params) => this.onmessage?.({ jsonrpc: '2.0', method, params })
  }

  async start() {}

  async close() {
    this.onclose?.()
  }

  setProtocolVersion() {}

  async send({ id, method, params }) {
    if (id === undefined || method === undefined) return
    const result = this.#server.answer(method, params)
    queueMicrotask(() => this.onmessage({ jsonrpc: '2.0', id, result }))
  }
}
