import type { Clock, JsonObject, RequestOptions, TaskConnection } from '../../src/index.ts'
import { createAsker, type Asked } from './asker.ts'

/** Lets everything that waits for microtasks only happen. */
export async function drain(): Promise<void> {
  for (let i = 0; i < 40; i++) await Promise.resolve()
}

/** A clock that moves only when it is told to. */
export interface ManualClock extends Clock {
  readonly pending: number
  advance(ms: number): Promise<void>
}

export function createManualClock(start = 1_800_000_000_000): ManualClock {
  let now = start
  let count = 0
  const timers = new Map<number, { at: number; run: () => void }>()
  return {
    now: () => now,
    setTimeout(run, ms) {
      // What JavaScript does with times that do not fit.
      const wait = ms > 2 ** 31 - 1 || !(ms >= 1) ? 1 : ms
      timers.set(++count, { at: now + wait, run })
      return count
    },
    clearTimeout: (id) => void timers.delete(id as number),
    get pending() {
      return timers.size
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        const due = [...timers].filter(([, { at }]) => at <= end).toSorted(([a, x], [b, y]) => x.at - y.at || a - b)[0]
        if (!due) break
        const [id, { at, run }] = due
        timers.delete(id)
        now = Math.max(now, at)
        run()
        await drain()
      }
      now = end
    },
  }
}

/** One request as it went out. */
export interface WireRequest {
  readonly nth: number
  readonly method: string
  readonly params: JsonObject
  readonly options: RequestOptions
  readonly at: number
  /** ms; when it was answered. */
  endedAt: number | null
  /** It rejected. */
  failed: boolean
  settle(answer: { result: unknown } | { error: unknown }): void
}

export interface World extends TaskConnection {
  readonly clock: ManualClock
  readonly sent: WireRequest[]
  /** Those that have no answer yet. */
  readonly open: WireRequest[]
  push(method: string, params: unknown): void
  /** The server asks the client. */
  ask(prompt: JsonObject, taskId: string | null): Asked
  close(): void
  readonly listeners: number
}

/** A connection whose every answer comes from a schedule, over a clock of its own. */
export function createWorld(
  clock = createManualClock(),
  endpoint = 'https://tiles.example/mcp',
  generation: TaskConnection['generation'] = '2026-07-28',
): World {
  const sent: WireRequest[] = []
  const notified = new Map<string, Set<(params: JsonObject) => void>>()
  const closing = new Set<(reason: unknown) => void>()
  const asker = createAsker()
  return {
    clock,
    sent,
    endpoint,
    get open() {
      return sent.filter(({ endedAt }) => endedAt === null)
    },
    request(method, params, options = {}) {
      return new Promise((resolve, reject) => {
        const request: WireRequest = {
          nth: sent.length,
          method,
          params,
          options,
          at: clock.now(),
          endedAt: null,
          failed: false,
          settle(answer) {
            if (request.endedAt !== null) return
            request.endedAt = clock.now()
            request.failed = 'error' in answer
            if ('error' in answer) reject(answer.error)
            else resolve(answer.result as JsonObject)
          },
        }
        sent.push(request)
        options.signal?.addEventListener('abort', () => request.settle({ error: { message: 'aborted' } }))
      })
    },
    onNotification(method, listener) {
      const set = notified.get(method) ?? new Set()
      notified.set(method, set.add(listener))
      return () => set.delete(listener)
    },
    onClose(listener) {
      closing.add(listener)
      return () => closing.delete(listener)
    },
    push(method, params) {
      for (const listener of [...(notified.get(method) ?? [])]) listener(params as JsonObject)
    },
    close() {
      for (const listener of [...closing]) listener(new Error('closed'))
    },
    get listeners() {
      return closing.size + asker.size + [...notified.values()].reduce((sum, set) => sum + set.size, 0)
    },
    ask: asker.ask,
    onServerRequest: asker.onServerRequest,
    supportsTasks: true,
    generation,
    taskSupport: () => Promise.resolve('optional'),
    random: () => 0,
  }
}
