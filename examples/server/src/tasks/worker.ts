import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Settings } from '../settings.ts'
import type { Tool } from '../tools/tool.ts'
import type { TaskChanges } from './changes.ts'
import { CallFailed, RunEnded } from './errors.ts'
import { leaseStore, taskStore, type Outcome } from './store.ts'
import type { Task } from './task.ts'
import { pause, type Work } from './work.ts'

// A task under which this many workers died is likely to be what kills them.
const MAX_INTERRUPTIONS = 20

/** What a worker needs from the server around it. */
export interface WorkerParts {
  readonly database: Database
  readonly changes: TaskChanges
  readonly tools: ReadonlyMap<string, Tool>
  readonly settings: Settings
  readonly log: (line: string) => void
}

/** Runs tasks, one per call of `run`, under a lease that it renews while the process lives. */
export class TaskWorker {
  readonly owner = randomUUID()
  readonly #parts: WorkerParts
  readonly #runs = new Map<string, { end: AbortController; done: Promise<void> }>()
  readonly #heartbeat: NodeJS.Timeout

  constructor(parts: WorkerParts) {
    this.#parts = parts
    const { leaseMs } = parts.settings
    this.#heartbeat = setInterval(() => {
      if (this.#runs.size === 0) return
      const renewed = leaseStore.renew(parts.database, [...this.#runs.keys()], this.owner, leaseMs)
      renewed.catch((error: Error) => parts.log(`lease: ${error.message}`))
    }, leaseMs / 3)
    this.#heartbeat.unref()
  }

  /** Runs a task from its checkpoint to its end, or until it has to wait. Does nothing where there is nothing to do. */
  async run(id: string): Promise<void> {
    const task = await leaseStore.claim(this.#parts.database, id, this.owner, this.#parts.settings.leaseMs)
    if (!task) return
    const end = new AbortController()
    const done = this.#runClaimed(task, end)
    this.#runs.set(id, { end, done })
    await done.finally(() => this.#runs.delete(id))
  }

  /** Ends all runs where they are; their tasks are another worker's from now on. */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeat)
    const runs = [...this.#runs.values()]
    for (const { end } of runs) end.abort(new RunEnded('stopping'))
    await Promise.allSettled(runs.map(({ done }) => done))
    await leaseStore.abandon(this.#parts.database, this.owner)
  }

  async #runClaimed(task: Task, end: AbortController): Promise<void> {
    const { database, changes, tools, log } = this.#parts
    const unwatch = changes.watch(task.id, () => void this.#look(task.id, end))
    try {
      const outcome = await this.#outcomeOf(task, tools.get(task.tool), end)
      if (outcome) await leaseStore.finish(database, task.id, this.owner, outcome)
      if (outcome?.status === 'failed') log(`worker: trace ${task.traceId} failed: ${outcome.message}`)
    } catch (error) {
      // The task keeps its lease until that runs out, and is then taken up again.
      log(`worker: ${(error as Error).message}`)
    } finally {
      unwatch()
    }
  }

  async #outcomeOf(task: Task, tool: Tool | undefined, end: AbortController): Promise<Outcome | undefined> {
    try {
      if (task.cancelRequested) throw new RunEnded('cancelled')
      if (!tool) throw new CallFailed({ code: -32603, message: `This server no longer has a tool "${task.tool}".` })
      if (task.interruptions >= MAX_INTERRUPTIONS)
        throw new CallFailed({ code: -32603, message: 'The task was interrupted too often and has been given up.' })
      const result = await tool.run(this.#workOn(task, end.signal))
      return { status: 'completed', result, message: result.isError ? 'Finished with an error' : 'Done' }
    } catch (error) {
      if (error instanceof RunEnded)
        return error.reason === 'cancelled' ? { status: 'cancelled', message: 'Cancelled' } : undefined
      const failure = error instanceof CallFailed ? error.error : { code: -32603, message: (error as Error).message }
      return { status: 'failed', error: failure, message: failure.message }
    }
  }

  #workOn(task: Task, signal: AbortSignal): Work {
    const { database } = this.#parts
    return {
      args: task.args,
      checkpoint: task.checkpoint,
      interruptions: task.interruptions,
      attempt: task.attempt,
      acceptedAt: task.createdAt,
      signal,
      step: async (step) => {
        signal.throwIfAborted()
        const cancel = await this.#orLost(leaseStore.step(database, task.id, this.owner, step))
        if (cancel !== false) throw new RunEnded(cancel ? 'cancelled' : 'lost')
      },
      pause: (ms) => pause(ms, signal),
      ask: async (message, requests) => {
        const open = Object.entries(requests).filter(([key]) => !task.answers[key])
        if (open.length === 0) return task.answers
        signal.throwIfAborted()
        const wait = leaseStore.waitForInput(database, task.id, this.owner, message, Object.fromEntries(open))
        await this.#orLost(wait)
        throw new RunEnded('waiting')
      },
    }
  }

  /** A database out of reach is no failure of the task: it is taken up again once its lease has run out. */
  async #orLost<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing
    } catch (error) {
      this.#parts.log(`worker: ${(error as Error).message}`)
      throw new RunEnded('lost')
    }
  }

  async #look(id: string, end: AbortController): Promise<void> {
    const task = await taskStore.get(this.#parts.database, id).catch(() => 'unreadable' as const)
    if (task === 'unreadable' || end.signal.aborted) return
    if (task?.leaseOwner !== this.owner) end.abort(new RunEnded('lost'))
    else if (task.cancelRequested) end.abort(new RunEnded('cancelled'))
  }
}
