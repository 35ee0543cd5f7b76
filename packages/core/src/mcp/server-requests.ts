import type { ServerRequest } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { AnswerError, Caller, Message, Transport } from './types.ts'

export const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const OFFERED = /^(elicitation|sampling|roots)\//

type Answer = Promise<JsonObject | undefined>

/** What a server asks the client (2025-11-25) over one transport. `ask` offers it to all listeners, and gives the answers of those who take it. */
export function createServerRequests(
  client: Caller,
  transport: Transport,
  ask: (request: ServerRequest) => readonly Answer[],
) {
  const open = new Map<unknown, AbortController>()

  return {
    /**
     * If a listener takes the request, its answer goes out under the server's id and with the related task that it named. `false`:
     * nobody took it, it is the app's; `passOn` is called if that turns out later.
     */
    offer({ id, method = '', params: given }: Message, passOn: () => void): boolean {
      const params = given ?? {}
      const [, capability] = OFFERED.exec(method) ?? []
      if (!capability || !declares(client, capability)) return false
      const related = params._meta?.[RELATED_TASK]
      const taskId = isObject(related) ? `${related.taskId}` : null
      // What names no task may be anybody's: an app that answers such requests gets them.
      if (taskId === null && hasHandler(client, method)) return false
      const send = async (body: object) => {
        try {
          if (open.delete(id)) await transport.send({ jsonrpc: '2.0', id, ...body } as Message)
        } catch (error) {
          client.onerror?.(error as Error)
        }
      }
      const controller = new AbortController()
      if (!canElicit(client, method, params.mode)) {
        open.set(id, controller)
        void send({ error: { code: -32602, message: 'This client does not support this mode of elicitation.' } })
        return true
      }
      const answers = ask({ method, params, taskId, signal: controller.signal })
      // What names no task and could be for several is nobody's.
      if (answers.length === 0 || (taskId === null && answers.length > 1)) {
        controller.abort()
        return false
      }
      open.set(id, controller)
      firstOf(answers).then(
        (result) => {
          if (!result) return open.delete(id) && passOn()
          const _meta = { ...(result._meta as object), [RELATED_TASK]: related }
          // Nobody else needs to be asked any more.
          controller.abort()
          return send({ result: related ? { ...result, _meta } : result })
        },
        (error: Partial<AnswerError>) => {
          const code = Number.isSafeInteger(error?.code) ? error.code : -32603
          return send({ error: { code, message: `${error?.message ?? error}` } })
        },
      )
      return true
    },
    /** The server no longer wants an answer, and must get none. */
    withdraw(id: unknown) {
      open.get(id)?.abort()
      open.delete(id)
    },
    /** Its server is gone. */
    close() {
      for (const id of [...open.keys()]) this.withdraw(id)
    },
  }
}

/** The first answer there is; `undefined` when nobody has one after all. */
function firstOf(answers: readonly Answer[]): Answer {
  return new Promise((resolve, reject) => {
    for (const answer of answers) answer.then((given) => given && resolve(given), reject)
    void Promise.allSettled(answers).then(() => resolve(undefined))
  })
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

/** Whether the client has told the server that it can be asked this; as far as it can be known. */
function declares({ _capabilities: declared }: Caller, capability: string): boolean {
  return !declared || !!declared[capability]
}

/** Whether it has declared this mode of elicitation, too (AUG-INPUT-5). */
function canElicit({ _capabilities }: Caller, method: string, mode: unknown = 'form'): boolean {
  const declared = _capabilities?.['elicitation']
  if (method !== 'elicitation/create' || !declared) return true
  return mode === 'form' ? !!declared['form'] || !declared['url'] : mode === 'url' && !!declared['url']
}
