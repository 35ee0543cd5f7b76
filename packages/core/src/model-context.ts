import type { JsonObject } from './task.ts'
import type { TaskView } from './view.ts'

/** Addresses are for people, and may be signed. */
const address = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi
/** Characters of a text: a model needs a sentence, not a log. */
const longest = 300

const plain = (text: string | null | undefined) =>
  text?.split('\n', 1)[0]!.replace(address, '[link]').slice(0, longest) ?? null

/**
 * What a model should know of a run: id, status, stage, percent, summary, the artifact's title, and what can be done next. Never a log line,
 * a trace id, a URL or a raw payload: those are for people (`view.job.display`, `view.result`).
 */
export function toModelContext(view: TaskView): JsonObject {
  const { phase, task, job, progress, error, canCancel, canRetry, canRespond } = view
  const actions = Object.entries({ cancel: canCancel, retry: canRetry, respond: canRespond })
  return {
    id: task?.taskId ?? null,
    status: phase,
    ...(job && { jobStatus: plain(job.word) }),
    stage: plain(job?.stage),
    percent: progress?.percent ?? null,
    summary: plain(job?.summary ?? progress?.message),
    artifact: plain(job?.artifact?.title),
    ...(error && { error: { kind: error.kind, message: plain(error.message) } }),
    nextActions: actions.filter(([, can]) => can).map(([action]) => action),
  }
}
