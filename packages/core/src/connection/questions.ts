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
  /** Whose it is now: a call's question becomes that of its task. */
  owner: Questions
  readonly request: InputRequest
  /** More than one if the server asked again because a stream had broken. */
  readonly askers: Set<Asker>
}

/** More than any person would answer (SEC-10). */
const most = 100

/**
 * Requests of the server that wait for a person (2025-11-25), of one run. Each is open until it is answered, withdrawn by the server, or
 * dismissed; a status word alone never closes it, since nobody else can answer.
 */
export class Questions {
  readonly #open = new Map<string, Question>()
  readonly #connection: Pick<TaskConnection, 'clock' | 'endpoint'>
  #refuses = false
  /** Is told when what is open has changed. */
  onChange: () => void = () => {}

  constructor(connection: Pick<TaskConnection, 'clock' | 'endpoint'>) {
    this.#connection = connection
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /** What is open, by key. */
  get requests(): Readonly<Record<string, InputRequest>> {
    return Object.fromEntries([...this.#open].map(([key, { request }]) => [key, request]))
  }

  /** @returns the answer, whenever it is given; `undefined` if it turns out not to be ours to answer */
  ask({ method, params, signal }: ServerRequest): Promise<JsonObject | undefined> {
    return new Promise((resolve, reject) => {
      const asker = { resolve, reject }
      const known = [...this.#open.values()].find(
        ({ request }) => request.method === method && asksSame(request, params),
      )
      const question = known ?? this.#create(method, params)
      if (!question) return reject(unreadable)
      question.askers.add(asker)
      signal?.addEventListener('abort', () => question.owner.#withdraw(question, asker))
      if (known) return
      if (this.#refuses || this.#open.size >= most) return dismiss(question)
      this.#open.set(question.request.key, question)
      this.onChange()
    })
  }

  /** @returns whether that question was open */
  answer(key: string, answer: JsonObject): boolean {
    const question = this.#close(key)
    for (const { resolve } of question?.askers ?? []) resolve(answer)
    return question !== undefined
  }

  /** Whether nobody will answer, since the run is to be cancelled: what is open and what will come is dismissed. */
  refuse(refuses: boolean): void {
    this.#refuses = refuses
    if (refuses) this.dismiss()
  }

  /** Nobody will answer what is open. */
  dismiss(): void {
    for (const key of [...this.#open.keys()]) dismiss(this.#close(key)!)
  }

  /** Leaves what is open to whoever else may answer it. */
  passOn(): void {
    for (const { askers } of this.#open.values()) for (const { resolve } of askers) resolve(undefined)
    this.#open.clear()
  }

  /** Takes over what is open elsewhere: the call has become a task. */
  absorb(other: Questions): void {
    if (other.isEmpty) return
    for (const [key, question] of other.#open) {
      question.owner = this
      this.#open.set(key, question)
    }
    other.#open.clear()
    if (this.#refuses) this.dismiss()
    else this.onChange()
  }

  /** The key is unlike any of another process, which a restored run may remember as answered. */
  #create(method: string, params: JsonObject): Question | undefined {
    const key = `asked-${this.#connection.clock.now().toString(36)}-${(count++).toString(36)}`
    const request = readPrompt(key, { method, params }, this.#connection.endpoint)
    return request && { owner: this, request, askers: new Set() }
  }

  #withdraw({ request, askers }: Question, asker: Asker) {
    askers.delete(asker)
    if (askers.size === 0) this.#close(request.key)
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
