import type { ServerRequest } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { AnswerError, Caller, Message, Transport } from './types.ts'

export const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const OFFERED = /^(elicitation|sampling|roots)\//

/** What a server asks the client (2025-11-25). `ask` offers it to the listeners. */
export function createServerRequests(
  client: Caller,
  ask: (request: ServerRequest) => Promise<JsonObject | undefined> | undefined,
) {
  const open = new Map<unknown, AbortController>()

  return {
    /**
     * If a listener takes the request, its answer goes out under the server's id and with the related task that it named. `false`:
     * nobody took it, it is the app's; `passOn` is called if that turns out later.
     */
    offer({ id, method = '', params = {} }: Message, transport: Transport, passOn: () => void): boolean {
      if (!OFFERED.test(method)) return false
      const related = params._meta?.[RELATED_TASK]
      const taskId = isObject(related) ? `${related.taskId}` : null
      // What names no task may be anybody's: an app that answers such requests gets them.
      if (taskId === null && hasHandler(client, method)) return false
      const send = (body: object) => {
        if (open.delete(id))
          transport.send({ jsonrpc: '2.0', id, ...body } as Message).catch((error) => transport.onerror?.(error))
      }
      const controller = new AbortController()
      if (!canElicit(client, method, params.mode)) {
        open.set(id, controller)
        send({ error: { code: -32602, message: 'This client does not support this mode of elicitation.' } })
        return true
      }
      const answer = ask({ method, params, taskId, signal: controller.signal })
      if (!answer) return false
      open.set(id, controller)
      answer.then(
        (result) => {
          if (!result) return open.delete(id) && passOn()
          const _meta = { ...(result._meta as object), [RELATED_TASK]: related }
          return send({ result: related ? { ...result, _meta } : result })
        },
        (error: Partial<AnswerError>) => {
          const code = Number.isSafeInteger(error?.code) ? error.code : -32603
          send({ error: { code, message: `${error?.message ?? error}` } })
        },
      )
      return true
    },
    /** The server no longer wants an answer, and must get none. */
    withdraw(id: unknown) {
      open.get(id)?.abort()
      open.delete(id)
    },
  }
}

/** Whether the app answers requests of this kind by itself. */
function hasHandler(client: Caller, method: string): boolean {
  try {
    client.assertCanSetRequestHandler(method)
    return !!client.fallbackRequestHandler
  } catch {
    return true
  }
}

/** Whether the client has declared this mode of elicitation (AUG-INPUT-5); as far as it can be known. */
function canElicit({ _capabilities }: Caller, method: string, mode: unknown = 'form'): boolean {
  const declared = _capabilities?.elicitation
  if (method !== 'elicitation/create' || !declared) return true
  return mode === 'form' ? !!declared.form || !declared.url : mode === 'url' && !!declared.url
}
