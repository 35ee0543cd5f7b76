import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { spawnServer } from './server-process.ts'
import { requestMessage, resultOf, type Json, type Wire } from './wire.ts'

/** Speaks to a server process line by line. */
export function stdioWire(args: readonly string[] = []) {
  const child = spawnServer(['stdio', ...args])
  const listeners = new Set<(message: Json) => void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const message: Json = JSON.parse(line)
    for (const listener of listeners) listener(message)
  })
  const write = (message: Json) => child.stdin!.write(`${JSON.stringify(message)}\n`)
  const wire: Wire = {
    request(method, params = {}) {
      const message = requestMessage(method, params, true)
      return new Promise((resolve, reject) => {
        const listener = (answer: Json) => {
          if (answer['id'] !== message.id) return
          listeners.delete(listener)
          try {
            resolve(resultOf(answer))
          } catch (error) {
            reject(error)
          }
        }
        listeners.add(listener)
        write(message)
      })
    },
    async *listen(taskIds, more) {
      const message = requestMessage('subscriptions/listen', { notifications: { taskIds, ...more } }, true)
      const queue: Json[] = []
      let wake = () => {}
      const listener = (answer: Json) => {
        const subscription = answer['params']?.['_meta']?.['io.modelcontextprotocol/subscriptionId']
        if (answer['id'] !== message.id && subscription !== message.id) return
        queue.push(answer)
        wake()
      }
      listeners.add(listener)
      write(message)
      try {
        for (;;) {
          const next = queue.shift()
          if (next) yield next
          if (next?.['id'] === message.id) return
          if (!next) await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        listeners.delete(listener)
        write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } })
      }
    },
  }
  return {
    ...wire,
    /** Closes stdin, as a client does that leaves, and resolves with the exit code. */
    async leave(): Promise<number | null> {
      const exit = once(child, 'exit')
      child.stdin!.end()
      return (await exit)[0] as number | null
    },
  }
}
