import { completed, createFakeConnection } from './fake-connection.ts'
import { createRun, fireTask, type Run } from './runs.ts'

/** One subscription, as a connection was asked for it. */
export interface Listen {
  readonly ids: readonly string[]
  /** ms of the clock. */
  readonly at: number
  /** The client has stopped it. */
  readonly stopped: boolean
  /** The server ends it. */
  end(): void
}

/** `listen` of a connection, and everything it was asked for, oldest first. */
export function recordListens() {
  const listens: Listen[] = []
  return {
    listens,
    /** The subscriptions that are open. */
    open: () => listens.filter(({ stopped }) => !stopped),
    listen(ids: readonly string[], onEnd?: () => void) {
      const listen = { ids, at: Date.now(), stopped: false, end: () => onEnd?.() }
      listens.push(listen)
      return () => void (listen.stopped = true)
    },
  }
}

/** A connection of 2026-07-28 whose subscriptions are recorded, and runs over it. */
export function connectListening() {
  const recorded = recordListens()
  const connection = createFakeConnection({ listen: recorded.listen })
  return {
    ...recorded,
    connection,
    /** A run with a task of its own over this connection. */
    async start(taskId: string): Promise<Run> {
      const run = createRun({}, connection)
      await fireTask(run, { taskId })
      return run
    },
    /** The task completes, by a push. */
    complete: (taskId: string) => connection.push('notifications/tasks', { ...completed(), taskId }),
    /** The ids of each subscription, oldest first. */
    ids: () => recorded.listens.map(({ ids }) => ids),
  }
}
