import type { TaskError } from './errors.ts'
import type { JsonObject, Task, ToolResult } from './task.ts'

export const phases = [
  'idle',
  'submitting',
  'working',
  'input_required',
  'cancelling',
  'detached',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const

/** Where a run stands, in one word. */
export type Phase = (typeof phases)[number]

/** Why reading only rests: `phase` keeps its last value. In the order in which they are shown. */
export type RestReason = 'asked' | 'unmounted' | 'connection' | 'offline' | 'hidden'

/** Why nobody is reading: a rest, or trouble (then `phase` is `detached` and `error` is set). */
export type DetachedReason = RestReason | 'unreachable' | 'unauthorized' | 'timeout' | 'lost'

/** How far the work is. Nothing is ever invented: unknown numbers are `null`. */
export interface Progress {
  readonly value: number | null
  readonly total: number | null
  /** 0–100. */
  readonly percent: number | null
  readonly message: string | null
}

/** Something the server wants to know before it goes on. */
export interface InputRequest {
  /** The server's key: answer with `respond({ [key]: answer })`. */
  readonly key: string
  readonly kind: 'elicitation' | 'sampling' | 'roots' | 'unsupported'
  readonly method: string
  readonly params: JsonObject
  /** Who asks, so that a person can judge. */
  readonly server: string | null
}

/** A job of home-made job tools, in its own words. */
export interface JobInfo {
  readonly word: string
  readonly stage: string | null
  readonly summary: string | null
  readonly artifact: { readonly id: string; readonly title: string } | null
  /** For display only (log tail, trace id). */
  readonly display: JsonObject
}

/** What a component renders: flat, plain, JSON-safe, and the same object until something visible changes. */
export interface TaskView<Output = unknown> {
  readonly phase: Phase
  readonly task: Task | null
  readonly result: ToolResult<Output> | null
  readonly error: TaskError | null
  readonly progress: Progress | null
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  readonly job: JobInfo | null
  /** Text the server offers the model while the work runs (2025-11-25). */
  readonly interim: string | null
  readonly cancelRequested: boolean
  /** Only while `phase` is `cancelled`: `true` = the server said so or nothing can be running; `false` = gone after our cancel, or a plain call we aborted. */
  readonly confirmed: boolean | null
  readonly detachedBecause: DetachedReason | null
  /** Runs of the work so far (retries of the work, not of a read). */
  readonly attempt: number
  readonly isIdle: boolean
  /** Fired, not terminal and not in trouble: includes submitting, cancelling and resting. */
  readonly isWorking: boolean
  readonly isTerminal: boolean
  /** What is shown may be out of date: resting, in trouble, backing off, or overdue after a cancel. */
  readonly isStale: boolean
  readonly canCancel: boolean
  readonly canRetry: boolean
  readonly canRespond: boolean
}
