import type { ServerRequest } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { AnswerError, Message, Transport } from './types.ts'

const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const OFFERED = /^(elicitation|sampling|roots)\//

/** What a server asks the client (2025-11-25). `ask` offers it to the listeners. */
export function createServerRequests(ask: (request: ServerRequest) => Promise<JsonObject> | undefined) {
  const open = new Set<unknown>()

  return {
    /**
     * If a listener takes the request, its answer goes out under the server's id and with the related task that it named. `false`:
     * nobody took it, it is the app's.
     */
    offer({ id, method = '', params = {} }: Message, transport: Transport): boolean {
      if (!OFFERED.test(method)) return false
      const related = params._meta?.[RELATED_TASK]
      const answer = ask({ method, params, taskId: isObject(related) ? `${related.taskId}` : null })
      const send = (body: object) => {
        if (open.delete(id))
          transport.send({ jsonrpc: '2.0', id, ...body } as Message).catch((error) => transport.onerror?.(error))
      }
      answer?.then(
        (result) => {
          const _meta = { ...(result._meta as object), [RELATED_TASK]: related }
          send({ result: related ? { ...result, _meta } : result })
        },
        (error: Partial<AnswerError>) => {
          const code = Number.isSafeInteger(error?.code) ? error.code : -32603
          send({ error: { code, message: `${error?.message ?? error}` } })
        },
      )
      if (answer) open.add(id)
      return !!answer
    },
    /** The server no longer wants an answer, and must get none. */
    withdraw(id: unknown) {
      open.delete(id)
    },
  }
}
