import { randomBytes, randomUUID } from 'node:crypto'
import type { Database, Sql } from '../database/database.ts'
import { openDatabase, type DatabaseChoice } from '../database/open-database.ts'
import type { JsonObject } from '../json.ts'
import type { Settings } from '../settings.ts'
import type { Tool } from '../tools/tool.ts'
import { assertAnswers } from '../tools/validate.ts'
import { TaskChanges } from './changes.ts'
import { CallRefused, Overloaded, TaskFinished, TaskNotFound } from './errors.ts'
import { TaskQueue } from './queue.ts'
import { createSchema } from './schema.ts'
import { leaseStore, taskStore, type LogLine, type NewTask, type Place } from './store.ts'
import type { InputAnswers, InputRequests, RpcError, Task } from './task.ts'
import { ttlWithin } from './ttl.ts'
import { TaskWorker } from './worker.ts'

/** A call that is to become a task; its arguments are valid already. */
export interface Submission {
  readonly tool: Tool
  readonly args: JsonObject
  readonly answers: InputAnswers
  readonly idempotencyKey: string | null
  /** The lifetime that was asked for, in ms. @default the settings' */
  readonly askedTtlMs?: number | undefined
  /** The list that the task appears in. @default none */
  readonly listedFor?: string
}

/** Everything protocols need: submit, read, answer, cancel and watch tasks. */
export class TaskEngine {
  readonly database: Database
  readonly #settings: Settings
  readonly #changes = new TaskChanges()
  readonly #queue: TaskQueue
  readonly #log: (line: string) => void
  #worker: TaskWorker | undefined
  #upkeep: NodeJS.Timeout | undefined

  private constructor(database: Database, settings: Settings, log: (line: string) => void) {
    this.database = database
    this.#settings = settings
    this.#log = log
    this.#queue = new TaskQueue(database, log)
  }

  /** Opens the database and makes it ready; `work` starts the workers. */
  static async open(choice: DatabaseChoice, settings: Settings, log: (line: string) => void): Promise<TaskEngine> {
    const database = await openDatabase(choice, log)
    await createSchema(database)
    const engine = new TaskEngine(database, settings, log)
    await engine.#queue.start()
    await engine.#changes.start(database)
    return engine
  }

  /** Takes up what an earlier process left, and starts the workers. */
  async work(tools: ReadonlyMap<string, Tool>): Promise<void> {
    const { database } = this
    const { workers, leaseMs, upkeepMs } = this.#settings
    const worker = new TaskWorker({ database, changes: this.#changes, tools, settings: this.#settings, log: this.#log })
    this.#worker = worker
    // Nobody else can be at work on a database of our own, so there is no lease to wait for.
    if (database.exclusive) await leaseStore.abandon(database, null)
    const resumed = await this.#queue.recover(database.exclusive ? 0 : leaseMs)
    if (resumed > 0) this.#log(`Going on with ${resumed} unfinished task(s).`)
    await this.#queue.work(workers, (id) => worker.run(id))
    this.#upkeep = setInterval(() => {
      const done = taskStore.deleteExpired(database).then(() => this.#queue.recover(leaseMs))
      done.catch((error: Error) => this.#log(`upkeep: ${error.message}`))
    }, upkeepMs)
    this.#upkeep.unref()
  }

  /** Accepts a call. The task and its job are on disk when this resolves; `created` is false for a known idempotency key. */
  async submit(call: Submission): Promise<{ task: Task; created: boolean }> {
    const { tool, args, answers, idempotencyKey, askedTtlMs, listedFor = null } = call
    return this.database.transaction(async (sql) => {
      await taskStore.lockAdmission(sql)
      const known = idempotencyKey === null ? undefined : await taskStore.getByKey(sql, idempotencyKey, tool.name, args)
      if (known && !known.same)
        throw new CallRefused('idempotency_key_reused', 'This idempotency key belongs to a call with other arguments.')
      if (known) return { task: known, created: false }
      if (idempotencyKey !== null) await taskStore.deleteExpired(sql)
      const task = await this.#admit(sql, {
        tool: tool.name,
        args,
        answers,
        idempotencyKey,
        ttlMs: ttlWithin(this.#settings, askedTtlMs),
        listedFor,
        attempt: 1,
        checkpoint: null,
        traceId: randomBytes(16).toString('hex'),
      })
      return { task, created: true }
    })
  }

  /**
   * The task that goes on where this one failed or was cancelled: a new one, since a finished task stays what it is.
   * A task is retried once; after that the same new task is given. @throws TaskNotFound
   */
  async retry(id: string): Promise<Task> {
    return this.database.transaction(async (sql) => {
      await taskStore.lockAdmission(sql)
      const task = await this.get(id, sql)
      if (task.retriedAs !== null) return this.get(task.retriedAs, sql)
      const { tool, args, answers, checkpoint, traceId, attempt } = task
      const next = await this.#admit(sql, {
        ...{ tool, args, answers, checkpoint, traceId, attempt: attempt + 1 },
        ...{ idempotencyKey: null, ttlMs: ttlWithin(this.#settings, undefined), listedFor: null },
      })
      await taskStore.markRetried(sql, id, next.id)
      return next
    })
  }

  /** @throws TaskNotFound */
  async get(id: string, sql: Sql = this.database): Promise<Task> {
    const task = await taskStore.get(sql, id)
    if (!task) throw new TaskNotFound()
    return task
  }

  /** Keeps answers to open questions; others are ignored. With the last one the work goes on. */
  async answer(id: string, given: Readonly<Record<string, unknown>>): Promise<void> {
    await this.database.transaction(async (sql) => {
      const task = await taskStore.lock(sql, id)
      if (!task) throw new TaskNotFound()
      if (task.status !== 'input_required') return
      const open: Record<string, InputRequests[string]> = { ...task.inputRequests }
      const answers = assertAnswers(open, given)
      if (Object.keys(answers).length === 0) return
      for (const key of Object.keys(answers)) delete open[key]
      await taskStore.saveAnswers(sql, id, { ...task.answers, ...answers }, open)
      if (Object.keys(open).length === 0) await this.#queue.enqueue(sql, id)
    })
  }

  /** Wishes a cancel. It has happened once the task says so. */
  async cancel(id: string): Promise<void> {
    await this.get(id)
    await taskStore.requestCancel(this.database, id)
  }

  /** Cancels at once: the work ends at its next step, and what it still brings is dropped. @throws TaskNotFound, TaskFinished */
  async cancelNow(id: string): Promise<Task> {
    const task = await taskStore.cancelNow(this.database, id)
    if (task) return task
    await this.get(id)
    throw new TaskFinished()
  }

  /** The last lines of what a task has said of itself, the oldest first. */
  logTail(id: string, lines: number): Promise<readonly LogLine[]> {
    return taskStore.logTail(this.database, id, lines)
  }

  /** Ends a task that waits for an answer which nobody can give; any other is left alone. */
  async failWaiting(id: string, error: RpcError): Promise<void> {
    await taskStore.failWaiting(this.database, id, error)
  }

  /** A page of a list of tasks, newest first. */
  list(listedFor: string, limit: number, after?: Place): Promise<readonly Task[]> {
    return taskStore.list(this.database, listedFor, limit, after)
  }

  /** Calls `listener` after each change of a task, until the returned function is called. */
  watch(id: string, listener: () => void): () => void {
    return this.#changes.watch(id, listener)
  }

  /** Ends all work where it is, for another process to go on with, and closes the database. */
  async close(): Promise<void> {
    clearInterval(this.#upkeep)
    await this.#queue.rest()
    await this.#worker?.stop()
    if (!this.database.exclusive) await this.#queue.recover(this.#settings.leaseMs).catch(() => 0)
    await this.#queue.stop()
    await this.database.close()
  }

  async #admit(sql: Sql, task: Omit<NewTask, 'id'>): Promise<Task> {
    if ((await taskStore.countWaiting(sql)) >= this.#settings.maxQueued)
      throw new Overloaded(this.#settings.pollIntervalMs)
    const admitted = await taskStore.create(sql, { id: randomUUID(), ...task })
    await this.#queue.enqueue(sql, admitted.id)
    return admitted
  }
}
