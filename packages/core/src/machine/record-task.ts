import { isTerminal, type Task } from '../task.ts'
import type { Progress } from '../view.ts'
import { mapValues, sameJson } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import type { TaskContext } from './context.ts'
import { sameTask } from '../wire/task.ts'
import { cancelError } from './errors.ts'

/** What news change in the chart's memory. The ttl runs from the first receipt; only another ttl value moves its deadline. */
export function recordTask(context: TaskContext, news: News, now: number, interval: number): Partial<TaskContext> {
  const { task: given, outcome, prompts, protocol, interim, endsProgress } = news
  const { job, mayCancel, mayRetry, isRepeatable, isBeingCancelled } = news
  const next = given && { ...given, ttl: given.ttl === undefined ? context.task?.ttl : given.ttl }
  const isKnown = next && context.task?.taskId === next.taskId && sameTask(context.task, next)
  const task = isKnown ? context.task! : next
  const receivedAt = context.receivedAt ?? now
  const ttlMoved = task !== undefined && task.ttl !== context.task?.ttl
  // A server that extends a lifetime has just shown that the task lives: the next read can wait its turn.
  const floor = context.task ? now + interval : 0
  const ttl = typeof task?.ttl === 'number' ? Math.max(receivedAt + task.ttl, floor) : null
  // A seed that waits for input does not say for what (EXT-CREATE-2).
  const blind = task?.status === 'input_required' && prompts === undefined && !context.cancelRequested
  return {
    ...(task && { task, receivedAt, seenAt: now }),
    // The create call has its answer, even if that had been given up.
    // Its questions are over, and the task's own have keys of their own (MRTR-4).
    ...(protocol !== undefined && { protocol, error: null, answered: {}, requestState: undefined }),
    ...(interim !== undefined && { interim }),
    ...(job && !sameJson(job, context.job) && { job }),
    ...(mayCancel !== undefined && { mayCancel }),
    ...(mayRetry !== undefined && { mayRetry }),
    ...(isRepeatable && { isRepeatable }),
    // A server that is at it already need not be asked.
    ...(isBeingCancelled && { cancelRequested: true, cancelLanded: true, cancelHeard: true }),
    ...(ttlMoved && { ttlGrace: false, deadlines: { ...context.deadlines, ttl } }),
    ...(blind && { asked: context.asked.includes('read') ? context.asked : [...context.asked, 'read' as const] }),
    // What the server asked while the call was open is still asked; whoever follows the task tells when it no longer is.
    ...(task &&
      (protocol === undefined || isTerminal(task.status)
        ? recordPrompts(context, prompts)
        : { inputRequests: { ...context.inputRequests, ...prompts } })),
    ...(task && {
      progress: news.progress
        ? keep(context.progress, news.progress)
        : recordMessage(context.progress, task, endsProgress),
    }),
    ...(outcome && recordOutcome(task ? { ...context, task } : context, outcome)),
    backingOff: false,
  }
}

/** Open are the prompts the server lists and we have not answered; the others are withdrawn (EXT-INPUT-3, -4, -6). */
function recordPrompts(context: TaskContext, prompts: News['prompts'] = {}): Partial<TaskContext> {
  const open = mapValues(prompts, (prompt, key) => (Object.hasOwn(context.answered, key) ? undefined : prompt))
  // An answer on its way to a prompt that was withdrawn is nobody's any more.
  const answered = mapValues(context.answered, (answer, key) =>
    answer.sent || Object.hasOwn(prompts, key) ? answer : undefined,
  )
  return {
    ...(!sameJson(open, context.inputRequests) && { inputRequests: open }),
    ...(!sameJson(answered, context.answered) && { answered }),
  }
}

/** The newest message wins, wherever it came from; so do numbers, as long as there can be any. */
function recordMessage(progress: Progress | null, { taskId, statusMessage }: Task, endsProgress = false) {
  if (taskId === null) return progress
  const { value, total, percent } = endsProgress || !progress ? noNumbers : progress
  const message = statusMessage ?? progress?.message ?? null
  const next = { value, total, percent, message }
  return sameJson(progress, next) || (!progress && message === null) ? progress : next
}

const keep = (before: Progress | null, next: Progress) => (sameJson(before, next) ? before : next)

const noNumbers = { value: null, total: null, percent: null }

function recordOutcome(context: TaskContext, outcome: Outcome): Partial<TaskContext> {
  if (outcome.as === 'completed') return { result: outcome.result, error: null, confirmed: null }
  if (outcome.as === 'failed') return { result: outcome.result ?? null, error: outcome.error, confirmed: null }
  if (outcome.as === 'expired') return { error: outcome.error, confirmed: null }
  return { confirmed: outcome.confirmed, error: cancelError(context) }
}
