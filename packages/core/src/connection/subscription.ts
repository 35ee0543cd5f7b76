import type { Hub } from './hub.ts'
import type { Job } from './scheduler.ts'

/** ms between two subscriptions of one connection: what is begun together is subscribed to together. */
const pace = 1000
/** A server that ended so many subscriptions in a row without one push has none to give. */
const patience = 2

/**
 * Asks the server for pushes about the tasks that are read: one stream for all tasks of a connection, since a browser has few to give
 * (EXT-NOTIF-1, EXT-NOTIF-8). A hint only: polling never depends on it.
 */
export class Subscription implements Job {
  due = 0
  position: number | undefined = undefined
  readonly #hub: Hub
  readonly #wanted = new Set<string>()
  #covered: ReadonlySet<string> = new Set()
  #stop: (() => void) | undefined
  #futile = 0
  /** ms; not before this. */
  #next = 0

  constructor(hub: Hub) {
    this.#hub = hub
  }

  add(taskId: string): void {
    if (!this.#hub.connection.listen || this.#covered.has(taskId)) return
    this.#wanted.add(taskId)
    this.#plan()
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
    const before = this.#stop
    const ids = [...this.#wanted]
    this.#next = this.#hub.now() + pace
    let ended = false
    const stop = connection.listen?.(ids, () => {
      ended = true
      if (this.#stop === stop) this.#lost(ids)
    })
    this.#stop = ended ? undefined : stop
    this.#covered = new Set(ids)
    if (ended) this.#lost(ids)
    // Only now, so that nothing is missed in between.
    before?.()
  }

  #plan() {
    if (this.#futile < patience && this.position === undefined)
      this.#hub.scheduler.at(Math.max(this.#hub.now(), this.#next), this)
  }

  /** What was pushed while nobody listened is told by a read; the subscription is tried again. */
  #lost(ids: readonly string[]) {
    this.#end()
    this.#futile++
    for (const id of ids) this.#hub.find(id)?.catchUp()
    this.#plan()
  }

  #end() {
    const stop = this.#stop
    this.#stop = undefined
    this.#covered = new Set()
    stop?.()
  }
}
