import type { TaskConnection } from '../connection.ts'
import type { Settings } from '../options.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { isTerminal, type JsonObject, type Task } from '../task.ts'
import { readFailure } from '../wire/failure.ts'
import { isOlder, readTask } from '../wire/task.ts'
import { TaskReader } from './reader.ts'
import { Scheduler } from './scheduler.ts'

const pushes = ['notifications/tasks', 'notifications/tasks/status']
/** How many ids that nobody knows yet are held, and for how many ms, while a create call is out (AUG-CREATE-5). */
const earlyIds = 32
const earlyAge = 30_000

/** What all runs on one connection share: a timer, the readers, and pushes that came before their handle. */
export class Hub {
  readonly connection: TaskConnection
  readonly scheduler: Scheduler
  readonly #readers = new Map<string, TaskReader>()
  /** Readers nobody follows, kept only while they still hold back an early read. */
  readonly #idle = new Set<TaskReader>()
  readonly #early = new Map<string, { readonly raw: JsonObject; readonly task: Task; readonly at: number }>()
  /** Create calls that are out: only then can a push be early. */
  submitting = 0
  #order = 0
  #users = 0
  #stops: (() => void)[] = []

  constructor(connection: TaskConnection) {
    this.connection = connection
    this.scheduler = new Scheduler(connection.clock)
  }

  now(): number {
    return this.connection.clock.now()
  }

  nextOrder(): number {
    return ++this.#order
  }

  /** The task's reader; takes the parameters of {@link TaskReader} to make one. */
  reader(protocol: Protocol, settings: Settings, task: Task, since: number, fresh: boolean): TaskReader {
    for (const idle of this.#idle) if (!idle.isCooling) this.forget(idle)
    const id = task.taskId!
    let reader = this.#readers.get(id)
    if (!reader) {
      reader = new TaskReader(this, protocol, settings, task, since, fresh)
      this.#readers.set(id, reader)
    }
    this.#idle.delete(reader)
    return reader
  }

  /** Hands over the push that came before the handle, if one did. */
  drain(reader: TaskReader): void {
    this.#dropOld()
    const early = this.#early.get(reader.taskId)
    this.#early.delete(reader.taskId)
    if (early) reader.push(early.raw)
  }

  #dropOld() {
    for (const [id, { at }] of this.#early) if (this.now() - at > earlyAge) this.#early.delete(id)
  }

  /** Nobody follows this reader any more. */
  release(reader: TaskReader): void {
    if (reader.isFollowed) return
    if (reader.isCooling) this.#idle.add(reader)
    else this.forget(reader)
  }

  forget(reader: TaskReader): void {
    if (this.#readers.get(reader.taskId) === reader) this.#readers.delete(reader.taskId)
    this.#idle.delete(reader)
  }

  /** Listens for pushes while at least one run needs it. @returns how to stop, once */
  use(): () => void {
    if (this.#users++ === 0) this.#listen()
    let used = true
    return () => {
      if (!used) return
      used = false
      if (--this.#users > 0) return
      for (const stop of this.#stops.splice(0)) stop()
    }
  }

  #listen() {
    for (const method of pushes) this.#stops.push(this.connection.onNotification(method, (raw) => this.#push(raw)))
    this.#stops.push(
      this.connection.onClose((reason) => {
        const failure = readFailure({ reason: 'closed', message: 'The connection has closed.', cause: reason })
        for (const reader of [...this.#readers.values()]) reader.close(failure)
      }),
    )
  }

  #push(raw: JsonObject) {
    const task = readPush(raw)
    if (!task) return
    const id = task.taskId!
    const reader = this.#readers.get(id)
    if (reader) return reader.push(raw)
    // Unknown, so maybe the one whose handle is still on its way. Ids of strangers are not kept for long, and never logged (AUG-NOTIF-4).
    const held = this.#early.get(id)
    if (this.submitting === 0 || (!held && this.#early.size >= earlyIds)) return
    if (held && (isTerminal(held.task.status) || isOlder(task, held.task, false))) return
    this.#dropOld()
    this.#early.set(id, { raw, task, at: this.now() })
  }
}

function readPush(raw: JsonObject): Task | null {
  try {
    return readTask(raw)
  } catch {
    return null
  }
}

const hubs = new WeakMap<TaskConnection, Hub>()

/** The hub of a connection: one, however many runners share it. */
export function hubOf(connection: TaskConnection): Hub {
  let hub = hubs.get(connection)
  if (!hub) hubs.set(connection, (hub = new Hub(connection)))
  return hub
}
