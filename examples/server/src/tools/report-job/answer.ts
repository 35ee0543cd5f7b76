import type { JsonObject } from '../../json.ts'
import type { TaskEngine } from '../../tasks/engine.ts'
import type { Task, ToolResult } from '../../tasks/task.ts'
import { JOB_STATUSES, toJobView, type ReportJobView } from './view.ts'

const LOG_LINES = 50

const text = { type: 'string' }
const fields = {
  jobId: text,
  status: { enum: JOB_STATUSES },
  percent: { type: ['number', 'null'], minimum: 0, maximum: 100 },
  phase: text,
  summary: text,
  canCancel: { type: 'boolean' },
  canRetry: { type: 'boolean' },
  attempt: { type: 'integer', minimum: 1 },
  startedAt: text,
  updatedAt: text,
} satisfies Partial<Record<keyof ReportJobView, JsonObject>>

/** The JSON Schema of what the report tools answer with, when it is no error. */
export const JOB_SCHEMA = {
  type: 'object',
  properties: {
    ...fields,
    result: { type: 'object', properties: { title: text, artifactId: text }, required: ['title', 'artifactId'] },
    error: { type: 'object', properties: { code: text, message: text }, required: ['code', 'message'] },
  },
  required: Object.keys(fields),
} as const

/** How a job stands, as a tool's result. Log lines and the trace id are for the app, never for the model: they are `_meta`. */
export async function jobAnswer(engine: TaskEngine, task: Task, words?: string): Promise<ToolResult> {
  const job = toJobView(task)
  const lines = await engine.logTail(task.id, LOG_LINES)
  return {
    content: [{ type: 'text', text: words === undefined ? job.summary : `${words} ${job.summary}` }],
    structuredContent: { ...job },
    _meta: { logTail: lines.map(({ at, line }) => `${at.toISOString()} ${line}`), traceId: task.traceId },
  }
}
