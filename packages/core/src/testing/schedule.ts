import type { JsonObject } from '../task.ts'

/** What every step may say. */
interface Timed {
  /** ms after the step before it; of the first one, after the call. @default 0 */
  readonly after?: number
}

/** The server is further, or at an end. What it leaves out stays as it was. */
export interface StatusStep extends Timed {
  /**
   * `working`, `input_required`, `completed`, `failed`, `cancelled`, or any other word: job tools are told it as it is, and have `queued`,
   * `cancel_requested` and `timed_out` besides.
   */
  readonly status?: string
  /** For people: a task's status message, a job's summary, the message of a progress notification. */
  readonly message?: string
  /** Percent, or a value with its total. Told where the protocol has a place for it: tasks of 2026-07-28 have none. `null`: unknown again. */
  readonly progress?: number | { readonly value: number; readonly total?: number } | null
  /** A job's phase. */
  readonly stage?: string
  /** What else a job says (`canRetry`, …), and its `_meta`. */
  readonly job?: JsonObject
  readonly meta?: JsonObject
  /** Of `completed` (or of `failed`, with `isError`): a text, a tool result with its `content`, or data. @default no content */
  readonly result?: string | JsonObject
  /** Of `failed`. @default code -32603, with the message of the step */
  readonly error?: { readonly code?: number | string; readonly message: string; readonly data?: unknown }
  /** Of `input_required`: requests by key. The schedule waits until all are answered. */
  readonly ask?: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>
  /** Also tells it in a push, to those who listen. @default false */
  readonly push?: boolean
}

/** What can go wrong with a request: by name, or the error that it is answered with (a JSON-RPC `code` or an HTTP `status`). */
export type Fault =
  /** There is never an answer. */
  | 'drop'
  /** The connection breaks while the answer is awaited: nobody knows whether it was heard. */
  | 'reset'
  /** The id is unknown, or no longer known. */
  | 'gone'
  /** HTTP 403. */
  | 'unauthorized'
  /** HTTP 503. */
  | 'unavailable'
  /** HTTP 404: the session has ended. */
  | 'session-lost'
  /** The answer is none that anybody could read. */
  | 'malformed'
  | { readonly code?: number | string; readonly status?: number; readonly message?: string; readonly data?: unknown }

/** The next requests about the task fail; the schedule waits until that has happened. The call itself is the first of them. */
export interface FaultStep extends Timed {
  readonly fault: Fault
  /** How many requests; `Infinity` for all from now on. @default 1 */
  readonly times?: number
  /** Only requests of this method, or calls of this tool. @default any */
  readonly on?: string
}

/** The connection closes, or is open again. While it is closed every request fails. */
export interface ConnectionStep extends Timed {
  readonly connection: 'closed' | 'open'
}

export type ScheduleStep = StatusStep | FaultStep | ConnectionStep

/** What happens to a call, in its order. A call begins as `working` and stays as the last step left it. */
export type Schedule = readonly ScheduleStep[]
