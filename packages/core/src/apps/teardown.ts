import { around } from '../mcp/around.ts'
import type { View, ViewTransport } from './types.ts'

const TEARDOWN = 'ui/resource-teardown'

/**
 * Tells when the host is about to take the view away. The host waits for an answer: the app's own, or an empty one at once where
 * the app has none (APP-4).
 */
export class Teardown {
  readonly #app: View
  readonly #listeners = new Set<(reason: unknown) => void>()
  #watched: ViewTransport | undefined

  constructor(app: View) {
    this.#app = app
  }

  add(listener: (reason: unknown) => void): () => void {
    // Of its own, since the same function may be added twice.
    const entry = (reason: unknown) => listener(reason)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Watches the transport that the app has now: it may be connected later, or anew. */
  watch(): void {
    const { transport } = this.#app
    if (!transport || transport === this.#watched) return
    this.#watched = transport
    around(transport, 'onmessage', (inner) => {
      if (!inner) return inner
      return (message, extra) => {
        const { id, method } = message
        if (method !== TEARDOWN || id === undefined) return inner.call(transport, message, extra)
        this.#tell()
        if (this.#appAnswers()) inner.call(transport, message, extra)
        else transport.send({ jsonrpc: '2.0', id, result: {} }).catch((error) => this.#app.onerror?.(error as Error))
      }
    })
  }

  #tell() {
    for (const listener of [...this.#listeners])
      try {
        listener('The host takes the view away.')
      } catch (error) {
        this.#app.onerror?.(error as Error)
      }
  }

  #appAnswers(): boolean {
    try {
      this.#app.assertCanSetRequestHandler(TEARDOWN)
      return !!this.#app.fallbackRequestHandler
    } catch {
      return true
    }
  }
}
