import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type ElicitRequestFormParams,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { JsonObject } from '../../json.ts'
import type { TaskEngine } from '../../tasks/engine.ts'
import { CallRefused } from '../../tasks/errors.ts'
import type { InputAnswers, InputRequests, RpcError } from '../../tasks/task.ts'

// A person may take as long as the task lives; this is the longest that a timer can wait.
const NEVER_MS = 2 ** 31 - 1
// A program that answers by itself would answer wrongly for ever.
const MAX_TRIES = 3

/** What a task fails with when it has a question and its client can ask nobody. */
export const NOBODY_TO_ASK: RpcError = {
  code: -32603,
  message: 'The task has a question for a person, but the client does not support elicitation.',
  data: { requiredCapabilities: { elicitation: { form: {} } } },
}

/** Whether the client can put a form before a person. */
export function canBeAsked(server: Server): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation
  // No mode at all is what clients said before there were two.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** Puts the open questions of a task to the client, on the stream of one of its requests. */
export class Questions {
  readonly #engine: TaskEngine
  readonly #taskId: string
  readonly #ctx: ServerContext
  readonly #meta: JsonObject | undefined
  readonly #asked = new Map<string, AbortController>()

  constructor(engine: TaskEngine, taskId: string, ctx: ServerContext, meta?: JsonObject) {
    this.#engine = engine
    this.#taskId = taskId
    this.#ctx = ctx
    this.#meta = meta
  }

  /** Asks what is open and not asked yet, and withdraws what is open no more. */
  show(open: InputRequests): void {
    for (const [key, end] of this.#asked)
      if (!open[key]) {
        this.#asked.delete(key)
        end.abort(new Error('No answer is needed any more.'))
      }
    for (const [key, { params }] of Object.entries(open))
      if (!this.#asked.has(key)) {
        const end = new AbortController()
        this.#asked.set(key, end)
        void this.#ask(key, params, end.signal).catch((error: Error) => this.#giveUp(error))
      }
  }

  async #ask(key: string, params: JsonObject, signal: AbortSignal): Promise<void> {
    let message = String(params['message'])
    for (let tries = 1; ; tries++) {
      const answer = await this.#send({ ...params, message }, signal)
      try {
        return await this.#engine.answer(this.#taskId, { [key]: answer })
      } catch (error) {
        if (!(error instanceof CallRefused) || tries === MAX_TRIES) throw error
        message = `${String(params['message'])} (${error.message})`
      }
    }
  }

  async #send(params: JsonObject, signal: AbortSignal): Promise<InputAnswers[string]> {
    const form = { ...params, ...(this.#meta && { _meta: this.#meta }) } as unknown as ElicitRequestFormParams
    const request = { method: 'elicitation/create' as const, params: form }
    const { action, content } = await this.#ctx.mcpReq.send(request, { signal, timeout: NEVER_MS })
    return { action, ...(content && { content }) }
  }

  /** A client that answers with an error, or with nonsense, can ask nobody. That it has left says nothing of the kind. */
  async #giveUp(error: Error): Promise<void> {
    const nonsense = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
    if (!nonsense && !(error instanceof ProtocolError) && !(error instanceof CallRefused)) return
    const message = `The question could not be put to anybody: ${error.message}`
    await this.#engine.failWaiting(this.#taskId, { code: -32603, message }).catch(() => {})
  }
}
