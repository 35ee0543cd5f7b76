import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import { isEnd } from './check-schedule.ts'
import type { Play, Told } from './play.ts'
import type { Fault } from './schedule.ts'

/** How long a task is kept and how often it may be read, in ms. */
export interface Pace {
  readonly ttl: number | null
  readonly pollInterval: number
}

const iso = (ms: number) => new Date(ms).toISOString()

/** The tool result of a step. */
export function resultOf({ result = { content: [] } }: Told): JsonObject {
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] }
  if (Array.isArray(result['content'])) return result
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}

/** The error of a step. */
export function errorOf({ error, message = 'The work failed.' }: Told): {
  message: string
  code: unknown
  data?: unknown
} {
  return { code: -32603, message, ...error }
}

/** An error as connections reject with it. */
export function createError({ message = 'The request failed.', ...rest }: JsonObject): Error {
  // A JSON-RPC code is the server's answer, whatever number it is.
  const isAnswer = typeof rest['code'] === 'number' && rest['status'] === undefined
  return Object.assign(new Error(String(message)), rest, isAnswer && { reason: 'answer' })
}

/** The answer to a failing request, as an error; `undefined` for none ever. Malformed answers are none of these. */
export function faultError(fault: Exclude<Fault, 'malformed'>): Error | undefined {
  switch (fault) {
    case 'drop':
      return undefined
    case 'reset':
      return createError({ code: 'ECONNRESET', message: 'The connection was reset.' })
    case 'gone':
      return createError({ code: -32602, message: 'Task not found' })
    case 'unauthorized':
      return createError({ status: 403, message: 'Forbidden' })
    case 'unavailable':
      return createError({ status: 503, message: 'Service Unavailable' })
    case 'session-lost':
      return createError({ status: 404, message: 'Session not found' })
    default:
      return createError(fault)
  }
}

/** A task of 2026-07-28; with its outcome unless it is a handle. */
export function modernTask(
  { id, told, startedAt, updatedAt, open }: Play,
  { ttl, pollInterval }: Pace,
  isHandle = false,
) {
  const { status, message } = told
  const fails = status === 'failed' && told.result === undefined
  return {
    resultType: isHandle ? 'task' : 'complete',
    taskId: id,
    // The tool's own failure is a result like any other here.
    status: status === 'failed' && !fails ? 'completed' : status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: iso(startedAt),
    lastUpdatedAt: iso(updatedAt),
    ttlMs: ttl,
    pollIntervalMs: pollInterval,
    ...(!isHandle && status === 'input_required' && { inputRequests: open }),
    ...(!isHandle && fails && { error: errorOf(told) }),
    ...(!isHandle && (status === 'completed' || (status === 'failed' && !fails)) && { result: resultOf(told) }),
  }
}

/** A task of 2025-11-25. */
export function legacyTask({ id, told, startedAt, updatedAt }: Play, { ttl, pollInterval }: Pace): JsonObject {
  return {
    taskId: id,
    status: told.status,
    ...(told.message !== undefined && { statusMessage: told.message }),
    createdAt: iso(startedAt),
    lastUpdatedAt: iso(updatedAt),
    ttl,
    pollInterval,
  }
}

const jobWords: Readonly<Record<string, string>> = { working: 'running', completed: 'succeeded' }

/** What a tool says of a job. */
export function jobAnswer(
  { id, told, startedAt, updatedAt }: Play,
  { pollInterval }: Pace,
  canCancel: boolean,
): JsonObject {
  const word = jobWords[told.status] ?? told.status
  const { progress = null, stage = '', message = '', result, error, meta } = told
  const percent = isObject(progress) ? percentOf(progress) : progress
  const isOver = isEnd(told.status)
  return {
    content: [{ type: 'text', text: message || word }],
    structuredContent: {
      jobId: id,
      status: word,
      percent,
      phase: stage,
      summary: message,
      canCancel: canCancel && !isOver && word !== 'cancel_requested',
      canRetry: isOver && word !== 'succeeded',
      startedAt: iso(startedAt),
      updatedAt: iso(updatedAt),
      pollIntervalMs: pollInterval,
      ...(result !== undefined && { result: dataOf(result) }),
      ...(error && { error }),
      ...told.job,
    },
    ...(meta && { _meta: meta }),
  }
}

function percentOf({ value, total }: { readonly value?: number; readonly total?: number }): number | null {
  return total ? (value! / total) * 100 : null
}

const dataOf = (result: string | JsonObject): unknown => {
  if (typeof result === 'string') return { title: result }
  return result['structuredContent'] ?? result
}

/** A progress notification's parameters; `null` where there is nothing to tell. */
export function progressOf({ progress, message }: Told): JsonObject | null {
  if (progress == null) return null
  const numbers = isObject(progress)
    ? { progress: progress['value'], ...(progress['total'] !== undefined && { total: progress['total'] }) }
    : { progress, total: 100 }
  return { ...numbers, ...(message !== undefined && { message }) }
}
