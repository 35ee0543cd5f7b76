import type { Hub } from './hub.ts'
import type { Job } from './scheduler.ts'

/** ms between two subscriptions of one connection: what is begun together is subscribed to together. */
const pace = 1000
/** A server that ended so many subscriptions in a row without one push has none to give. */
const patience = 2

/** A stream of pushes, and for which tasks. */
interface Stream {
  readonly ids: ReadonlySet<string>
  stop: (() => void) | undefined
}

/**
 * Asks the server for pushes about the tasks that are read: one stream for all tasks of a connection, since a browser has few to give
 * (EXT-NOTIF-1, EXT-NOTIF-8). A hint only: polling never depends on it.
 */
export class Subscription implements Job {
  due = 0
  position: number | undefined = undefined
  readonly #hub: Hub
  readonly #wanted = new Set<string>()
  #stream: Stream | undefined
  #futile = 0
  /** ms; not before this. */
  #next = 0

  constructor(hub: Hub) {
    this.#hub = hub
  }

  add(taskId: string): void {
    this.#wanted.add(taskId)
    if (!this.#stream?.ids.has(taskId)) this.#plan()
  }

  /** Ids that are not wanted any more stay subscribed to until the next change: it costs the server nothing to be silent. */
  remove(taskId: string): void {
    if (!this.#wanted.delete(taskId) || this.#wanted.size > 0) return
    this.#end()
    this.#hub.scheduler.drop(this)
  }

  /** A push has come: this server has some. */
  confirm(): void {
    this.#futile = 0
  }

  /** The connection has closed; what is read over it again asks again. */
  renew(): void {
    this.#futile = 0
    this.#end()
  }

  /** The scheduler calls. */
  run(): void {
    const { connection } = this.#hub
    if (!connection.listen) return
    this.#next = this.#hub.now() + pace
    const before = this.#stream
    const stream: Stream = { ids: new Set(this.#wanted), stop: undefined }
    this.#stream = stream
    try {
      stream.stop = connection.listen([...this.#wanted], () => this.#lost(stream))
    } catch {
      this.#lost(stream)
    }
    // It may have ended already.
    if (this.#stream !== stream) stream.stop?.()
    // Only now, so that nothing is missed in between.
    before?.stop?.()
  }

  #plan() {
    if (this.#futile >= patience || !this.#hub.connection.listen) return
    this.#hub.scheduler.at(Math.max(this.#hub.now(), this.#next), this)
  }

  /** What was pushed while nobody listened is told by a read; the subscription is tried again. */
  #lost(stream: Stream) {
    if (this.#stream !== stream) return
    this.#end()
    this.#futile++
    for (const id of stream.ids) this.#hub.find(id)?.catchUp()
    if (this.#wanted.size > 0) this.#plan()
  }

  #end() {
    const stream = this.#stream
    this.#stream = undefined
    stream?.stop?.()
  }
}
