import type { Failure } from '../wire/failure.ts'
import type { News } from '../wire/news.ts'

/** What a reader tells: only what changed. These are events of the chart. */
export type Report =
  | { type: 'poll.news'; news: News }
  /** A read failed and will be repeated; told once per row of failures. */
  | { type: 'poll.trouble'; failure: Failure }
  | { type: 'poll.recovered' }
  /** The server does not know the id, or no longer. */
  | { type: 'poll.gone'; failure: Failure }
  /** Reading was given up: too many failures, or one that repetition cannot mend. */
  | { type: 'poll.stopped'; failure: Failure }
  | { type: 'poll.closed'; failure: Failure }
  /** Another page has answered these prompts. */
  | { type: 'poll.answered'; keys: readonly string[] }
  /** The connection that had closed is open again. */
  | { type: 'poll.opened' }

/** Someone who wants to know about a task. */
export interface Follower {
  /** Is told what arrives anyway, and asks for no reads. */
  resting: boolean
  /** Somebody is there who may answer what the server asks. */
  answers: boolean
  report(report: Report): void
}

/** What a failed read ends with; `null` while it is to be repeated. */
export function endOf(failure: Failure, isExhausted: boolean): Extract<Report, { failure: Failure }> | null {
  const { sort, endsAs } = failure
  if (sort === 'gone' || (isExhausted && endsAs === 'gone')) return { type: 'poll.gone', failure }
  if (sort === 'closed') return { type: 'poll.closed', failure }
  if (sort === 'unauthorized' || sort === 'refused') return { type: 'poll.stopped', failure }
  if (!isExhausted) return null
  return { type: 'poll.stopped', failure: sort === 'unsent' ? { ...failure, kind: 'unreachable' } : failure }
}
