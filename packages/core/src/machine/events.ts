import type { Report } from '../connection/report.ts'
import type { Asked } from './context.ts'
import type { FireOptions } from '../options.ts'
import type { TaskReference } from '../reference.ts'
import type { JsonObject } from '../task.ts'
import type { InputRequest, RestReason, TaskView } from '../view.ts'
import type { Failure } from '../wire/failure.ts'
import type { News } from '../wire/news.ts'

/** What a user of the machine sends. An actor counts as watched until it is told otherwise. */
export type TaskEvent =
  | { type: 'fire'; args?: JsonObject; options?: FireOptions }
  | { type: 'cancel' }
  | { type: 'respond'; answers: Readonly<Record<string, JsonObject>> }
  | { type: 'retry' }
  | { type: 'resume'; reference?: TaskReference; isPaced?: boolean }
  | { type: 'adopt'; answer: JsonObject }
  | { type: 'refresh' }
  | { type: 'detach' }
  | { type: 'reset' }
  | { type: 'watch' }
  | { type: 'unwatch' }

/** What the actors tell the chart. */
export type ActorEvent =
  | Report
  /** The read that was asked for is over, and whatever it told has been told; `at` in ms. */
  | { type: 'poll.asked'; why: readonly Asked[]; failed: boolean; at: number }
  /** An answer to the create call that came when nobody was waiting for it any more. */
  | { type: 'submit.late'; epoch: number; news?: News; failure?: Failure }
  | { type: 'submit.progress'; epoch: number; progress: JsonObject }
  /** What the server asks while the call is open has changed (2025-11-25). */
  | { type: 'submit.asked'; epoch: number; prompts: Readonly<Record<string, InputRequest>> }
  /** A create call got no answer and is made again: the first one may run all the same. */
  | { type: 'submit.unanswered' }
  /** A cancel request got no answer: it may have landed all the same. */
  | { type: 'cancel.unanswered' }
  | { type: 'deadline.ttl' }
  | { type: 'deadline.wait'; isUnsent?: boolean }
  | { type: 'deadline.grace' }
  | { type: 'deadline.retry' }
  /** `onInputRequired: 'cancel'` met a prompt. */
  | { type: 'prompt.refused' }
  /** The caller's `onInputRequired` failed. */
  | { type: 'prompt.failed'; failure: Failure }
  /** Restored from another process: whether its create call was answered can't be known here. */
  | { type: 'submit.lost' }
  /** What the surroundings say about reading now. */
  | { type: 'surroundings'; reasons: readonly RestReason[] }
  /** `useConnection` put another connection in place. */
  | { type: 'reconnected' }

/** What the machine emits, once per run. */
export type TaskEmitted = { type: 'settled'; view: TaskView }
