import type { RequestOptions } from '../connection.ts'
import type { FireOptions, Settings } from '../options.ts'
import type { Call, Protocol } from '../protocols/protocol.ts'
import type { JsonObject } from '../task.ts'
import { createFailure, readFailure, type Failure } from '../wire/failure.ts'
import type { News } from '../wire/news.ts'
import { isEmpty } from '../wire/json.ts'
import { checkOutput } from '../wire/result.ts'
import type { InputRequest } from '../view.ts'
import { hubOf, type Hub } from './hub.ts'
import type { Questions } from './questions.ts'
import type { Job } from './scheduler.ts'

/** The create call is never timed out by the transport: giving up would cancel the work (HTTP-8). We stop waiting instead. */
const patience = 2 ** 31 - 1

/** Who wants to know about a create call. */
export interface Submitter {
  onProgress(progress: JsonObject): void
  /** What the server asks while the call is open has changed. */
  onPrompts(prompts: Readonly<Record<string, InputRequest>>): void
  /** The answer came when nobody was waiting any more. */
  onLate(answer: { news: News } | { failure: Failure }): void
}

/**
 * One create call. It belongs to the connection, not to whoever waits for it: nothing but a cancelled plain call ever aborts it,
 * and its answer is delivered however late it comes.
 */
export class Submission implements Job {
  due = 0
  position: number | undefined = undefined
  /** Someone wanted to cancel before the id was known. */
  cancelWished = false
  /** Resolves with the answer; rejects with a {@link Failure}, of kind `lost` when there is none in time. */
  readonly answer: Promise<News>
  /** What the server asks while the call is open (2025-11-25). */
  readonly questions: Questions
  readonly #hub: Hub
  readonly #settings: Settings
  readonly #submitter: Submitter
  readonly #controller = new AbortController()
  readonly #submitting: ReturnType<Hub['submit']>
  #release: (() => void) | null
  #protocol: Protocol | null = null
  #settle: { resolve(news: News): void; reject(failure: Failure): void } | null = null
  #closed = false

  constructor(
    settings: Settings,
    protocol: Protocol,
    call: Call,
    options: Omit<FireOptions, 'signal'>,
    submitter: Submitter,
  ) {
    this.#settings = settings
    this.#hub = hubOf(settings.connection)
    this.#submitter = submitter
    const stopUsing = this.#hub.use()
    this.#submitting = this.#hub.submit()
    this.questions = this.#submitting.questions
    this.questions.onChange = () => this.#ask()
    this.#release = () => {
      this.#submitting.end()
      stopUsing()
    }
    this.answer = new Promise((resolve, reject) => (this.#settle = { resolve, reject }))
    this.#begin(protocol, call, options)
  }

  /** Nobody waits any more. */
  abandon(): void {
    this.#settle = null
    this.#hub.scheduler.drop(this)
    this.questions.refuse(true)
    this.release()
    if (this.#protocol === null) queueMicrotask(() => this.#close({ failure: unsent }))
  }

  /** Stops holding what came early: called by whoever follows the task from here on. */
  release(): void {
    this.#release?.()
    this.#release = null
  }

  /** Keeps the wish for the handle; a call that is not out yet is not made, and a plain one is aborted. */
  cancel(): void {
    this.cancelWished = true
    this.questions.refuse(true)
    if (this.#closed) return
    if (this.#protocol === null) this.#close({ news: { outcome: { as: 'cancelled', confirmed: true } } })
    else if (this.#protocol.abortable) {
      this.#close({ news: { outcome: { as: 'cancelled', confirmed: false } } })
      this.#controller.abort()
    }
  }

  /** Nothing has been sent yet. */
  get isUnsent(): boolean {
    return this.#protocol === null
  }

  /** The scheduler calls: no answer in time. It may still come. */
  run(): void {
    // Asking what the tool supports took too long: the call itself was not made.
    if (this.#protocol === null) return this.#close({ failure: unsent })
    this.#settle?.reject(
      createFailure({
        sort: 'transient',
        kind: 'lost',
        retryable: false,
        message: 'The server did not answer the call in time: whether it has begun is unknown.',
      }),
    )
    this.#settle = null
    this.release()
  }

  #wait() {
    this.#hub.scheduler.at(this.#hub.now() + this.#settings.submitTimeout, this)
  }

  /** People take their time: while they are asked, the server owes no answer. */
  #ask() {
    const { requests } = this.questions
    this.#submitter.onPrompts(requests)
    if (this.#closed || !this.#settle) return
    if (isEmpty(requests)) this.#wait()
    else this.#hub.scheduler.drop(this)
  }

  async #begin(protocol: Protocol, call: Call, options: Omit<FireOptions, 'signal'>) {
    const { connection } = this.#hub
    try {
      const room = this.#settings.admit?.()
      if (room) await room
      if (this.#closed) return
      if (this.#settle) this.#wait()
      const ready = connection.ready?.()
      if (ready) await ready
      if (this.#closed) return
      let chosen: Protocol | Promise<Protocol> = protocol.choose?.(connection, call) ?? protocol
      if (chosen instanceof Promise) chosen = await chosen
      if (this.#closed) return
      // Given up before anything was sent: then nothing is.
      if (this.#settle === null) throw unsent
      this.#protocol = chosen
      this.#submitting.becomesAsker = chosen.asksWhileFetching === true
      const request: RequestOptions = {
        timeout: patience,
        signal: this.#controller.signal,
        ...(options.headers && { headers: options.headers }),
        onProgress: (progress) => {
          if (this.#settle && isEmpty(this.questions.requests)) this.#wait()
          this.#submitter.onProgress(progress)
        },
      }
      const news = { protocol: chosen.name, ...(await chosen.create(connection, call, request)) }
      const outcome = news.outcome && (await checkOutput(news.outcome, this.#settings.output))
      this.#close({ news: outcome ? { ...news, outcome } : news })
    } catch (error) {
      const failure = readFailure(error)
      this.#close({ failure: this.#protocol === null ? asUnsent(failure) : submitFailure(failure) })
    }
  }

  #close(answer: { news: News } | { failure: Failure }) {
    if (this.#closed) return
    this.#closed = true
    this.#hub.scheduler.drop(this)
    const follows =
      'news' in answer && answer.news.task?.taskId != null && !answer.news.outcome && this.#settle !== null
    if (!follows) {
      this.questions.dismiss()
      this.release()
    }
    if (!this.#settle) this.#submitter.onLate(answer)
    else if ('news' in answer) this.#settle.resolve(answer.news)
    else this.#settle.reject(answer.failure)
    this.#settle = null
  }
}

const unsent = createFailure({
  sort: 'unsent',
  kind: 'not-sent',
  message: 'The call was given up before it was made.',
  retryable: true,
})

/** The tool was not called yet: whatever went wrong, nothing runs. */
function asUnsent(reason: Failure): Failure {
  const isPolicy = reason.kind === 'unsupported' || reason.kind === 'unauthorized'
  return { ...reason, sort: 'unsent', kind: isPolicy ? reason.kind : 'not-sent' }
}

/** What a failed request means for a create call: without an answer, whether it was carried out is unknown (RETRY-2). */
function submitFailure(reason: Failure): Failure {
  if (reason.sort === 'unsent' || reason.kind === 'unsupported') return reason
  if (!reason.answered) return { ...reason, kind: 'lost', retryable: false }
  const kind = reason.sort === 'unauthorized' || reason.sort === 'malformed' ? reason.kind : 'protocol'
  return { ...reason, kind }
}
