import type { Settings } from '../options.ts'
import type { JsonObject, TaskStatus } from '../task.ts'
import { INTERRUPTED, readFailure } from '../wire/failure.ts'
import { attempt } from './attempt.ts'

/** Blocked until the task ends, which takes as long as people take (AUG-RESULT-8). */
const patience = 2 ** 31 - 1
/** Fetches for one wish for input, and fetches without an answer: a stream may break before the prompt has come. */
const most = 3

type Send = (options: { timeout: number; signal: AbortSignal }) => Promise<JsonObject>

/**
 * Fetches a payload before the task has ended: opened when the server wants input, since its prompts come on that stream, and kept open from
 * then on (AUG-INPUT-1, P51). However it fails, polling goes on.
 */
export class EarlyFetch {
  readonly #settings: Settings
  readonly #send: Send
  readonly #onPayload: (raw: JsonObject) => boolean
  readonly #onError: () => void
  #controller: AbortController | undefined
  #open: Promise<JsonObject> | undefined
  /** ms */
  #openedAt = 0
  /** A prompt has come since it was opened: its stream lives. */
  #lives = false
  #opened = 0
  #unanswered = 0
  #refused = false

  /**
   * @param onPayload an answer has come; `false` = it does not tell that the task has ended
   * @param onError what the answer means can only be told by a read
   */
  constructor(settings: Settings, send: Send, onPayload: (raw: JsonObject) => boolean, onError: () => void) {
    this.#settings = settings
    this.#send = send
    this.#onPayload = onPayload
    this.#onError = onError
  }

  /** The task is not known to have ended. */
  look(status: TaskStatus): void {
    if (this.#refused) this.#open = undefined
    if (status !== 'input_required') {
      this.#opened = 0
      this.#refused = false
      return
    }
    const now = this.#settings.connection.clock.now()
    const isPromising = this.#open && (this.#lives || now - this.#openedAt < this.#settings.requestTimeout)
    if (this.#refused || isPromising || this.#opened >= most || this.#unanswered >= most) return
    this.#opened++
    this.#unanswered++
    this.#openedAt = now
    this.#lives = false
    const { signal } = (this.#controller ??= new AbortController())
    this.#follow(attempt(() => this.#send({ timeout: patience, signal })))
  }

  /** A prompt has come. */
  live(): void {
    this.#lives = true
  }

  /** Hands the open fetch over, once, to whoever waits for the payload now. */
  take(): Promise<JsonObject> | undefined {
    const open = this.#open
    this.#open = undefined
    return open
  }

  /** Gives up whatever is open: it would hold a stream, and a process. The task does not notice. */
  stop(): void {
    this.#open = undefined
    this.#controller?.abort()
    this.#controller = undefined
    this.#opened = 0
  }

  #follow(fetch: Promise<JsonObject>) {
    this.#open = fetch
    const isOpen = () => {
      this.#unanswered--
      return this.#open === fetch
    }
    fetch.then(
      (raw) => {
        if (isOpen() && !this.#onPayload(raw)) this.#refuse()
      },
      (error: unknown) => {
        if (!isOpen()) return
        const { answered, code } = readFailure(error)
        if (answered && code !== INTERRUPTED) this.#refuse()
        else this.#open = undefined
      },
    )
  }

  /** Kept for whoever learns that the task has ended; otherwise it is not opened anew for the same wish. */
  #refuse() {
    this.#refused = true
    this.#onError()
  }
}
