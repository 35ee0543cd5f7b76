import { isObject } from '../../json.ts'
import { reportId } from '../../reports/reports.ts'
import { WAITING } from '../../tasks/store.ts'
import type { RpcError, Task } from '../../tasks/task.ts'
import { reportTitle } from '../research.ts'
import { RETRY_POLICY, TIMEOUT } from './failures.ts'

/** The words of report jobs. */
export const JOB_STATUSES = [
  'queued',
  'running',
  'cancel_requested',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const

/** How a report job stands, without anything that a model should not see. */
export interface ReportJobView {
  /** The id of the task that the job is. */
  readonly jobId: string
  readonly status: (typeof JOB_STATUSES)[number]
  /** `null` while nobody knows. */
  readonly percent: number | null
  readonly phase: string
  /** A sentence for a person. */
  readonly summary: string
  readonly canCancel: boolean
  readonly canRetry: boolean
  /** 1, and one more for each retry. */
  readonly attempt: number
  readonly startedAt: string
  readonly updatedAt: string
  /** The report is the resource `report://` and its artifact id. */
  readonly result?: { readonly title: string; readonly artifactId: string }
  readonly error?: { readonly code: string; readonly message: string }
}

/** A task that writes a report, in the words of a job. */
export function toJobView(task: Task): ReportJobView {
  const status = statusOf(task)
  const error = task.error && { code: codeOf(task.error), message: task.error.message }
  const failed = status === 'failed' || status === 'timed_out' || status === 'cancelled'
  const resource = task.result?.structuredContent?.['resource']
  return {
    jobId: task.id,
    status,
    percent: percentOf(task),
    phase: phaseOf(task, status),
    summary: summaryOf(task, status),
    canCancel: status === 'queued' || status === 'running',
    canRetry: failed && task.retriedAs === null && !(error && RETRY_POLICY.noRetryOn.includes(error.code)),
    attempt: task.attempt,
    startedAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
    ...(typeof resource === 'string' && { result: { title: reportTitle(task.args), artifactId: reportId(resource) } }),
    ...(error && { error }),
  }
}

function statusOf({ status, error, leaseOwner, cancelRequested }: Task): ReportJobView['status'] {
  if (status === 'completed') return 'succeeded'
  if (status === 'failed') return error && codeOf(error) === TIMEOUT ? 'timed_out' : 'failed'
  if (status === 'cancelled') return 'cancelled'
  if (cancelRequested) return 'cancel_requested'
  return leaseOwner === null ? 'queued' : 'running'
}

/** The failure's own code; what broke down without one is internal. */
function codeOf({ data }: RpcError): string {
  return isObject(data) && typeof data['code'] === 'string' ? data['code'] : 'internal_error'
}

function percentOf({ status, progress, total }: Task): number | null {
  if (status === 'completed') return 100
  return progress === null || total === null ? null : Math.round((100 * progress) / total)
}

function phaseOf({ statusMessage }: Task, status: ReportJobView['status']): string {
  switch (status) {
    case 'queued':
      return WAITING
    case 'running':
      return statusMessage === WAITING || statusMessage === null ? 'Starting' : statusMessage
    case 'cancel_requested':
      return 'Stopping'
    case 'succeeded':
      return 'Done'
    case 'failed':
      return 'Failed'
    case 'timed_out':
      return 'Timed out'
    case 'cancelled':
      return 'Cancelled'
  }
}

function summaryOf({ args, error, retriedAs }: Task, status: ReportJobView['status']): string {
  const report = `The report on "${String(args['query'])}"`
  const again = retriedAs === null ? '' : ' It has been tried again as another job.'
  switch (status) {
    case 'queued':
      return `${report} waits for a worker.`
    case 'running':
      return `${report} is being written.`
    case 'cancel_requested':
      return `${report} was asked to stop, and has not stopped yet.`
    case 'succeeded':
      return `${report} is ready.`
    case 'failed':
    case 'timed_out':
      return `${report} was not written: ${error?.message ?? 'the work broke down.'}${again}`
    case 'cancelled':
      return `${report} was cancelled.${again}`
  }
}
