import type { ServerRequest, TaskConnection } from '../connection.ts'
import type { Settings } from '../options.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { isTerminal, type JsonObject, type Task } from '../task.ts'
import { readFailure } from '../wire/failure.ts'
import { isOlder, readTask } from '../wire/task.ts'
import { Questions } from './questions.ts'
import { TaskReader, type Known } from './reader.ts'
import { Scheduler } from './scheduler.ts'
import { Subscription } from './subscription.ts'

const pushes = ['notifications/tasks', 'notifications/tasks/status']
/** How many ids that nobody knows yet are held, and for how many ms, while a create call is out (AUG-CREATE-5). */
const earlyIds = 32
const earlyAge = 30_000

/** A create call that is out. */
interface Submitting {
  /** What its server asks meanwhile. */
  readonly questions: Questions
  /** It may become a task that asks things in requests of the server. */
  becomesAsker: boolean
}

/** What all runs on one connection share: a timer, the readers, and pushes that came before their handle. */
export class Hub {
  readonly connection: TaskConnection
  readonly scheduler: Scheduler
  readonly subscription = new Subscription(this)
  readonly #readers = new Map<string, TaskReader>()
  /** Readers nobody follows, kept only while they still hold back an early read. */
  readonly #idle = new Set<TaskReader>()
  readonly #early = new Map<string, { readonly raw: JsonObject; readonly task: Task; readonly at: number }>()
  /** Questions about ids that nobody knows yet, while a create call is out. */
  readonly #earlyQuestions = new Map<string, Questions>()
  /** Create calls that are out: only then can something be early. */
  readonly #submitting = new Set<Submitting>()
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
  reader(protocol: Protocol, settings: Settings, task: Task, known: Known): TaskReader {
    for (const idle of this.#idle) if (!idle.isCooling) this.forget(idle)
    const id = task.taskId!
    let reader = this.#readers.get(id)
    if (!reader) {
      reader = new TaskReader(this, protocol, settings, task, known)
      this.#readers.set(id, reader)
    }
    this.#idle.delete(reader)
    return reader
  }

  find(taskId: string): TaskReader | undefined {
    return this.#readers.get(taskId)
  }

  /** A create call is out. @returns what the server asks meanwhile, and how to say that it has ended */
  submit(): Submitting & { end(): void } {
    const submitting = {
      questions: new Questions(this.connection),
      becomesAsker: false,
      end: () => {
        if (!this.#submitting.delete(submitting) || this.#expectsAsker) return
        for (const early of this.#earlyQuestions.values()) early.passOn()
        this.#earlyQuestions.clear()
      },
    }
    this.#submitting.add(submitting)
    return submitting
  }

  get #expectsAsker(): boolean {
    return [...this.#submitting].some(({ becomesAsker }) => becomesAsker)
  }

  /** Hands over what came before the handle, if something did. */
  drain(reader: TaskReader, asked?: Questions): void {
    this.#dropOld()
    const { taskId } = reader
    const early = this.#early.get(taskId)
    this.#early.delete(taskId)
    if (early) reader.push(early.raw)
    for (const questions of [asked, this.#earlyQuestions.get(taskId)])
      if (questions && reader.questions) reader.questions.absorb(questions)
      else questions?.dismiss()
    this.#earlyQuestions.delete(taskId)
  }

  #dropOld() {
    for (const [id, { at }] of this.#early) if (this.now() - at > earlyAge) this.#early.delete(id)
  }

  /** Nobody follows this reader any more. */
  release(reader: TaskReader): void {
    // A run that goes from state to state follows anew at once.
    queueMicrotask(() => {
      if (reader.isFollowed) return
      reader.rest()
      if (!this.#readers.get(reader.taskId)?.isFollowed) this.subscription.remove(reader.taskId)
      if (reader.isCooling) this.#idle.add(reader)
      else this.forget(reader)
    })
  }

  forget(reader: TaskReader): void {
    if (this.#readers.get(reader.taskId) === reader) this.#readers.delete(reader.taskId)
    this.#idle.delete(reader)
    if (!this.#readers.has(reader.taskId)) this.subscription.remove(reader.taskId)
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
        this.subscription.renew()
        for (const reader of [...this.#readers.values()]) reader.close(failure)
      }),
      this.connection.onOpen?.(() => {
        for (const reader of [...this.#readers.values()]) reader.open()
      }) ?? (() => {}),
      this.connection.onServerRequest?.((request) => this.#ask(request)) ?? (() => {}),
    )
  }

  /** Whose the request is: by its related task, else only if there is no choice (AUG-INPUT-2). */
  #ask(request: ServerRequest): Promise<JsonObject | undefined> | undefined {
    const { taskId, method } = request
    if (taskId !== null) {
      const reader = this.#readers.get(taskId)
      if (reader?.isFollowed) return reader.questions?.ask(request)
      const known = this.#earlyQuestions.get(taskId)
      if (!this.#expectsAsker || (!known && this.#earlyQuestions.size >= earlyIds)) return undefined
      const early = known ?? new Questions(this.connection)
      this.#earlyQuestions.set(taskId, early)
      return early.ask(request)
    }
    // Which folders a client offers concerns no call in particular.
    if (method === 'roots/list') return undefined
    const reading = [...this.#readers.values()].filter(({ isFollowed }) => isFollowed).map(({ questions }) => questions)
    const calling = [...this.#submitting].map(({ questions }) => questions)
    const open = [...calling, ...reading.filter((questions) => questions !== undefined)]
    return open.length === 1 ? open[0]!.ask(request) : undefined
  }

  #push(raw: JsonObject) {
    const task = readPush(raw)
    if (!task) return
    const id = task.taskId!
    const reader = this.#readers.get(id)
    if (reader) {
      this.subscription.confirm()
      return reader.push(raw)
    }
    // Unknown, so maybe the one whose handle is still on its way. Ids of strangers are not kept for long, and never logged (AUG-NOTIF-4).
    const held = this.#early.get(id)
    if (this.#submitting.size === 0 || (!held && this.#early.size >= earlyIds)) return
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
