import type { JsonObject } from '../task.ts'
import type { InputRequest } from '../view.ts'
import { isObject } from '../wire/json.ts'

/** What one page tells the others that follow the same task. */
export type TabMessage =
  /** A snapshot, as it came. */
  | { readonly type: 'snapshot'; readonly raw: JsonObject }
  /** What the server asks of the page that reads, in requests of its own. */
  | { readonly type: 'asked'; readonly requests: Readonly<Record<string, InputRequest>> }
  /** An answer, for the page that was asked. */
  | { readonly type: 'answer'; readonly key: string; readonly answer: JsonObject }
  /** Somebody has just begun to follow. */
  | { readonly type: 'hello' }
  /** The server has heard a cancel. */
  | { readonly type: 'cancelled' }
  /** These prompts are answered. */
  | { readonly type: 'answered'; readonly keys: readonly string[] }

/** What a browser has, and a worker or Node may not. */
interface Page {
  readonly navigator?: { readonly locks?: LockManager }
  readonly BroadcastChannel?: typeof BroadcastChannel
}

const page = globalThis as Page

/** Whether pages of one origin can find out who of them reads a task. */
export const canShare = (): boolean => page.navigator?.locks !== undefined && page.BroadcastChannel !== undefined

/**
 * One task in several pages of one origin: one of them reads it, the others are told. Which one is a matter of a Web Lock, so that
 * the next one goes on when that page goes, however it goes.
 */
export class Tabs {
  readonly #name: string
  readonly #channel: BroadcastChannel
  readonly #onLead: () => void
  /** Gives the lock back, or the place in the queue for it. */
  #leave: (() => void) | undefined
  leads = false
  #wanted = false
  /** What pages that begin to follow are told. */
  readonly #news = new Map<string, TabMessage>()

  constructor(name: string, onLead: () => void, onMessage: (message: JsonObject) => void) {
    this.#name = name
    this.#onLead = onLead
    this.#channel = new page.BroadcastChannel!(name)
    this.#channel.addEventListener('message', ({ data }) => {
      // A page of another release may say anything.
      if (!isObject(data)) return
      if (data['type'] !== 'hello') onMessage(data)
      else if (this.leads) for (const news of this.#news.values()) this.tell(news)
    })
    this.tell({ type: 'hello' })
  }

  tell(message: TabMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
    this.#channel.postMessage(message)
  }

  /** What the page that reads has learned. */
  show(message: TabMessage, isNew = true): void {
    this.#news.set(message.type, message)
    if (isNew) this.tell(message)
  }

  /** Whether this page would read: only then does it stand in line. Takes effect in a moment: a run may only go from state to state. */
  want(wanted: boolean): void {
    this.#wanted = wanted
    queueMicrotask(() => this.#queue())
  }

  stop(): void {
    this.#wanted = false
    this.#queue()
    this.#channel.close()
  }

  #queue() {
    if (this.#wanted === (this.#leave !== undefined)) return
    if (!this.#wanted) {
      this.#leave!()
      this.#leave = undefined
      this.leads = false
      return
    }
    const waiting = new AbortController()
    const leave = () => waiting.abort()
    this.#leave = leave
    page
      .navigator!.locks!.request(this.#name, { signal: waiting.signal }, () => {
        if (this.#leave !== leave) return undefined
        return new Promise<void>((resolve) => {
          this.#leave = resolve
          this.leads = true
          this.#onLead()
        })
      })
      // Aborted: nobody here wants to read any more.
      .catch(() => {})
  }
}
