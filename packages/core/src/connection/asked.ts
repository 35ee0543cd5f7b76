import type { TaskConnection } from '../connection.ts'
import type { Settings } from '../options.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { isTerminal, type JsonObject, type TaskStatus } from '../task.ts'
import { isEmpty } from '../wire/json.ts'
import type { News } from '../wire/news.ts'
import { EarlyFetch } from './early-fetch.ts'
import { Questions } from './questions.ts'

/** Who reads the task. */
interface Owner {
  /** The early fetch was answered; `false` = that does not tell that the task has ended. */
  onPayload(raw: JsonObject): boolean
  /** What the early fetch was answered can only be told by a read. */
  onDoubt(): void
  onPrompts(): void
}

/** What one task asks in requests of the server (2025-11-25), and the fetch on whose stream they come. */
export class Asked {
  readonly questions: Questions
  /** What is open in another page, which reads for this one. */
  elsewhere: Questions['requests'] = {}
  readonly #early: EarlyFetch

  constructor(connection: TaskConnection, protocol: Protocol, settings: Settings, taskId: string, owner: Owner) {
    this.questions = new Questions(connection)
    this.questions.onChange = () => owner.onPrompts()
    this.#early = new EarlyFetch(
      settings,
      (options) => protocol.fetch(connection, taskId, options),
      (raw) => owner.onPayload(raw),
      () => owner.onDoubt(),
    )
  }

  get isEmpty(): boolean {
    return this.questions.isEmpty && isEmpty(this.elsewhere)
  }

  /** What is asked, here and there. */
  get requests(): Questions['requests'] {
    return { ...this.elsewhere, ...this.questions.requests }
  }

  /** What is asked belongs to every snapshot. */
  addTo(news: News): News {
    if (news.outcome || isTerminal(news.task!.status)) return news
    if (!this.questions.isEmpty) this.#early.live()
    else if (this.isEmpty && news.task!.status !== 'input_required') return news
    return { ...news, prompts: this.requests }
  }

  /** Somebody is there to answer: fetches early if the server wants input. */
  look(status: TaskStatus): void {
    this.#early.look(status)
  }

  /** The fetch that is open already, once. */
  takeFetch(): Promise<JsonObject> | undefined {
    return this.#early.take()
  }

  /** Nobody is there any more. A question that is open came on the stream of the fetch, and may need it for its answer. */
  rest(): void {
    if (this.questions.isEmpty) this.#early.stop()
  }
}
