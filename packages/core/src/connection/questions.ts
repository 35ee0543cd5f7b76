import type { ServerRequest, TaskConnection } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import type { InputRequest } from '../view.ts'
import { sameJson } from '../wire/json.ts'
import { readPrompt } from '../wire/prompts.ts'

/** Someone of the server's waits for an answer. */
interface Asker {
  resolve(answer: JsonObject | undefined): void
  reject(error: { code: number; message: string }): void
}

interface Question {
  readonly request: InputRequest
  /** More than one if the server asked again because a stream had broken. */
  readonly askers: Asker[]
}

/**
 * Requests of the server that wait for a person (2025-11-25), of one run. Each is open until it is answered, withdrawn by the server, or
 * dismissed; a status word alone never closes it, since nobody else can answer.
 */
export class Questions {
  readonly #open = new Map<string, Question>()
  readonly #connection: Pick<TaskConnection, 'clock' | 'endpoint'>
  #dismissed = false
  /** Is told when what is open has changed. */
  onChange: () => void = () => {}

  constructor(connection: Pick<TaskConnection, 'clock' | 'endpoint'>) {
    this.#connection = connection
  }

  /** What is open, by key. */
  get requests(): Readonly<Record<string, InputRequest>> {
    return Object.fromEntries([...this.#open].map(([key, { request }]) => [key, request]))
  }

  /** @returns the answer, whenever it is given; `undefined` if it turns out not to be ours to answer */
  ask({ method, params, signal }: ServerRequest): Promise<JsonObject | undefined> {
    return new Promise((resolve, reject) => {
      const asker = { resolve, reject }
      const same = [...this.#open.values()].find(
        ({ request }) => request.method === method && asksSame(request, params),
      )
      if (same) return same.askers.push(asker)
      const key = this.#nextKey()
      const request = readPrompt(key, { method, params }, this.#connection.endpoint)
      if (!request) return reject(unreadable)
      const question = { request, askers: [asker] }
      if (this.#dismissed) return dismiss(question)
      this.#open.set(key, question)
      signal?.addEventListener('abort', () => this.#close(key))
      this.onChange()
    })
  }

  /** @returns whether that question was open */
  answer(key: string, answer: JsonObject): boolean {
    const question = this.#close(key)
    for (const { resolve } of question?.askers ?? []) resolve(answer)
    return question !== undefined
  }

  /** Nobody will answer, now or later: the run is to be cancelled, or has ended. */
  dismiss(): void {
    this.#dismissed = true
    for (const key of [...this.#open.keys()]) dismiss(this.#close(key)!)
  }

  /** Leaves what is open to whoever else may answer it. */
  passOn(): void {
    for (const { askers } of this.#open.values()) for (const { resolve } of askers) resolve(undefined)
    this.#open.clear()
  }

  /** Takes over what is open elsewhere: the call has become a task. */
  absorb(other: Questions): void {
    for (const [key, question] of other.#open) this.#open.set(key, question)
    other.#open.clear()
    if (other.#dismissed) this.dismiss()
  }

  /** Unlike any key of another process, which a restored run may remember as answered. */
  #nextKey() {
    return `asked-${this.#connection.clock.now().toString(36)}-${(count++).toString(36)}`
  }

  #close(key: string) {
    const question = this.#open.get(key)
    this.#open.delete(key)
    if (question) this.onChange()
    return question
  }
}

let count = 0

const unreadable = { code: -32602, message: 'The request could not be understood.' }

/** Metadata may differ from time to time. */
function asksSame(request: InputRequest, params: JsonObject): boolean {
  const { _meta: _, ...asked } = request.params
  const { _meta, ...asks } = params
  return sameJson(asked, asks)
}

function dismiss({ request, askers }: Question) {
  for (const { resolve, reject } of askers) {
    if (request.kind === 'elicitation') resolve({ action: 'cancel' })
    else reject({ code: -1, message: 'The user rejected the request.' })
  }
}
