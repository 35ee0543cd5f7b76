import type { Settings } from '../options.ts'
import type { JsonObject, TaskStatus } from '../task.ts'
import { readFailure } from '../wire/failure.ts'
import { attempt } from './attempt.ts'

/** Blocked until the task ends, which takes as long as people take (AUG-RESULT-8). */
const patience = 2 ** 31 - 1
/** Fetches for one wish for input: a stream may break before the prompt has come, and a server that has none to give is left alone. */
const most = 3

/**
 * Fetches a payload before the task has ended: opened when the server wants input, since its prompts come on that stream, and kept open from
 * then on (AUG-INPUT-1, P51). However it fails, polling goes on.
 */
export class EarlyFetch {
  readonly #settings: Settings
  readonly #send: (options: { timeout: number }) => Promise<JsonObject>
  readonly #onPayload: (raw: JsonObject) => void
  readonly #onError: () => void
  #open: Promise<JsonObject> | undefined
  /** ms */
  #openedAt = 0
  #opened = 0
  #refused = false

  /**
   * @param onPayload the task has ended, and this is what it left
   * @param onError the server answered with an error: of the call or about the task, which only a read can tell
   */
  constructor(
    settings: Settings,
    send: (options: { timeout: number }) => Promise<JsonObject>,
    onPayload: (raw: JsonObject) => void,
    onError: () => void,
  ) {
    this.#settings = settings
    this.#send = send
    this.#onPayload = onPayload
    this.#onError = onError
  }

  /** The task is not known to have ended. @param isAsking whether a prompt of it is open */
  look(status: TaskStatus, isAsking: boolean): void {
    if (this.#refused) this.#open = undefined
    if (status !== 'input_required') {
      this.#opened = 0
      this.#refused = false
      return
    }
    const now = this.#settings.connection.clock.now()
    const isPromising = this.#open !== undefined && (isAsking || now - this.#openedAt < this.#settings.requestTimeout)
    if (this.#refused || isPromising || this.#opened >= most) return
    this.#opened++
    this.#openedAt = now
    this.#follow(attempt(() => this.#send({ timeout: patience })))
  }

  /** Hands the open fetch over, once, to whoever waits for the payload now. */
  take(): Promise<JsonObject> | undefined {
    const open = this.#open
    this.#open = undefined
    return open
  }

  #follow(fetch: Promise<JsonObject>) {
    this.#open = fetch
    fetch.then(
      (raw) => {
        if (this.#open === fetch) this.#onPayload(raw)
      },
      (error: unknown) => {
        if (this.#open !== fetch) return
        if (!readFailure(error).answered) this.#open = undefined
        else {
          this.#refused = true
          this.#onError()
        }
      },
    )
  }
}
