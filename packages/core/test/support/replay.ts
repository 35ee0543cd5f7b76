import { vi } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import type { TaskContext } from '../../src/machine/context.ts'
import { elicitation, settle, snapshot, type FakeConnection, type Sent } from './fake-connection.ts'

/** A state of the chart, as far as a walk over it needs it. */
export interface PathState {
  readonly value: string | object
  readonly context: TaskContext
  readonly children: object
  can(event: object): boolean
  matches(value: string | object): boolean
}

/** An event as the pure walk takes it, and what makes it happen in a running machine. */
export interface PathEvent {
  readonly type: string
  readonly label: string
  readonly cause?: (replay: Replay) => Promise<unknown>
  /** What the event tells the chart. */
  readonly [detail: string]: unknown
}

export const hour = 3_600_000
/** Requests may hang and failures may add up: a deadline comes only when a path waits for it. */
export const limits = {
  maxWait: 3 * hour,
  cancelGrace: hour,
  requestTimeout: 99 * hour,
  maxPollFailures: 99,
  maxPollInterval: 1000,
}

export type Replay = ReturnType<typeof createReplay>

/** Makes events happen by the connection and the clock. */
export function createReplay(
  actor: { send(event: object): void; getSnapshot(): PathState },
  connection: FakeConnection,
) {
  const answered = new Set<Sent>()
  let steps = 0
  /** The newest request of a method that has no answer yet; waits for one if none is out. */
  const request = async (method: string) => {
    const find = () => connection.sent.findLast((sent) => sent.method === method && !answered.has(sent))
    if (!find()) await vi.advanceTimersByTimeAsync(1500)
    const found = find()
    if (!found) throw new Error(`No ${method} is out; these were sent: ${connection.wire.join(', ')}`)
    answered.add(found)
    return found
  }
  const state = () => actor.getSnapshot()
  const context = () => state().context
  return {
    state,
    async send(event: object) {
      actor.send(event)
      await settle()
    },
    answer: async (method: string, result: JsonObject) => (await request(method)).answer(result),
    fail: async (method: string, error: object) => (await request(method)).fail(error),
    async push(news: JsonObject) {
      connection.push('notifications/tasks', news)
      await settle()
    },
    async close() {
      connection.close()
      await settle()
    },
    /** The snapshot, with a word that makes it differ from every one before. */
    fresh: (raw: JsonObject): JsonObject => ({ statusMessage: `step ${++steps}`, ...raw }),
    /** A snapshot that says nothing new. */
    same(): JsonObject {
      const { task, inputRequests } = context()
      const open = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, elicitation()]))
      return snapshot(task?.status, {
        statusMessage: task?.statusMessage,
        ttlMs: task?.ttl ?? null,
        ...(task?.status === 'input_required' && { inputRequests: open }),
      })
    },
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    /** Waits until a deadline has come. Reads hang meanwhile. */
    until: (name: keyof TaskContext['deadlines']) =>
      vi.advanceTimersByTimeAsync(Math.max(0, context().deadlines[name]! - Date.now())),
  }
}
