import { sameJson } from './json.ts'
import type { ErrorRecord } from '../errors.ts'
import type { InputRequest, JobInfo, Progress } from '../view.ts'
import type { Task, ToolResult } from '../task.ts'

/** How a run ended, payload in hand. */
export type Outcome =
  | { readonly as: 'completed'; readonly result: ToolResult<unknown> }
  | { readonly as: 'failed'; readonly error: ErrorRecord; readonly result?: ToolResult<unknown> }
  | { readonly as: 'cancelled'; readonly confirmed: boolean }
  | { readonly as: 'expired'; readonly error: ErrorRecord }

/** What one answer or push tells the chart, whichever protocol it came through. */
export interface News {
  /** The protocol that speaks for this run from now on: in answers to the create call. */
  readonly protocol?: string
  readonly task?: Task
  readonly outcome?: Outcome
  /** Open prompts of the server, by key. */
  readonly prompts?: Readonly<Record<string, InputRequest>>
  /** Present (maybe `null`) when the call itself asks for input and has to be sent again with the answers (MRTR-1). */
  readonly requestState?: string | null
  /** ms; the work failed and is run again at this time, by the caller's policy. */
  readonly retryAt?: number
  /** A job of home-made tools, in its own words. */
  readonly job?: JobInfo
  /** How far it is, where snapshots tell that. */
  readonly progress?: Progress
  /** What the server allows, where it says so. */
  readonly mayCancel?: boolean
  readonly mayRetry?: boolean
  /** It can be run again by its id, without its arguments. */
  readonly isRepeatable?: true
  /** Somebody has asked for it to be cancelled already. */
  readonly isBeingCancelled?: true
  /** From here on only messages tell how far the work is (PROG-5). */
  readonly endsProgress?: true
  /** Text for the model while the work runs (2025-11-25). */
  readonly interim?: string
}

const parts = ['prompts', 'job', 'progress', 'mayCancel', 'mayRetry', 'isBeingCancelled'] as const

/** Whether two snapshots tell the same beside the task itself. */
export function sameNews(a: News, b: News): boolean {
  return parts.every((part) => sameJson(a[part], b[part]))
}
