import { HostCapabilityError, TaskError, type ErrorRecord } from '../errors.ts'
import { isTerminal as isTaskEnd, type ToolResult } from '../task.ts'
import type { DetachedReason, Phase, RestReason, TaskView } from '../view.ts'
import { isEmpty } from '../wire/json.ts'
import type { TaskContext } from './context.ts'

/** A snapshot of the machine, as far as a view needs it. */
export interface TaskSnapshot {
  readonly value: string | Readonly<Record<string, unknown>>
  readonly context: TaskContext
}

const reasons: readonly RestReason[] = ['asked', 'unmounted', 'connection', 'offline', 'hidden']
const none = {}

/** The state's name, one level deep where that is what a person would call it. */
function phaseOf({ value, context }: TaskSnapshot): Phase {
  const [[state, inner] = [value, undefined]] = typeof value === 'string' ? [] : Object.entries(value)
  if (state === 'terminal') return inner as Phase
  if (inner === 'lost' || inner === 'detached') return 'detached'
  if (context.cancelRequested) return 'cancelling'
  if (!isEmpty(context.inputRequests)) return 'input_required'
  return state as Phase
}

const errors = new WeakMap<ErrorRecord, TaskError>()

/** The record as an error, the same object each time. */
export function errorOf(context: TaskContext): TaskError | null {
  const { error: record, task } = context
  if (!record) return null
  let error = errors.get(record)
  if (!error) {
    // What a server says may name the task, and messages end up in logs (SEC-1).
    const message = task?.taskId ? record.message.replaceAll(task.taskId, '…') : record.message
    const full = { ...record, message, ...(task && { task }) }
    errors.set(record, (error = record.kind === 'unsupported' ? new HostCapabilityError(full) : new TaskError(full)))
  }
  return error
}

/** What is shown of a run in a phase. */
export function createView<Output>(phase: Phase, context: TaskContext): TaskView<Output> {
  const { task, result, progress, inputRequests, interim, cancelRequested, confirmed, attempt, resting, error } =
    context
  const isIdle = phase === 'idle'
  const isTerminal = phase === 'completed' || phase === 'failed' || phase === 'cancelled' || phase === 'expired'
  const inTrouble = phase === 'detached'
  // The work is done, and only its result is still to be fetched.
  const isDone = task !== null && isTaskEnd(task.status)
  const isLost = inTrouble && task === null
  const isWorking = !isIdle && !isTerminal && !inTrouble
  const rest = isWorking ? reasons.find((reason) => resting.includes(reason)) : undefined
  const detachedBecause = inTrouble ? ((error?.kind ?? 'unreachable') as DetachedReason) : (rest ?? null)
  return {
    phase,
    task,
    result: result as ToolResult<Output> | null,
    error: errorOf(context),
    progress,
    inputRequests: phase === 'input_required' ? inputRequests : none,
    job: context.job,
    interim,
    cancelRequested,
    confirmed: phase === 'cancelled' ? confirmed : null,
    detachedBecause,
    attempt,
    isIdle,
    isWorking,
    isTerminal,
    isStale: detachedBecause !== null || (isWorking && (context.backingOff || context.overdue)),
    canCancel:
      !isIdle &&
      !isTerminal &&
      !cancelRequested &&
      !context.cancelUnsupported &&
      context.mayCancel !== false &&
      !isDone &&
      !isLost,
    canRetry:
      context.mayRetry !== false &&
      ((isTerminal && phase !== 'completed' && (context.args !== null || context.isRepeatable)) ||
        (isLost && context.args !== null)),
    canRespond: phase === 'input_required' && rest !== 'offline' && rest !== 'connection',
  }
}

const views = new WeakMap<object, TaskView<never>>()

/** Selects the view from a raw snapshot of the machine: the same view for the same snapshot. */
export function toTaskView<Output = unknown>(snapshot: unknown): TaskView<Output> {
  const given = snapshot as TaskSnapshot
  let view = views.get(given) as TaskView<Output> | undefined
  if (!view) {
    views.set(given, (view = createView<Output>(phaseOf(given), given.context)) as TaskView<never>)
  }
  return view
}

/** Whether two views show the same. */
export function sameView(a: TaskView<never>, b: TaskView<never>): boolean {
  return Object.keys(a).every((key) => Object.is(a[key as keyof TaskView], b[key as keyof TaskView]))
}
