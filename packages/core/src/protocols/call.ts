import type { RequestOptions, TaskConnection } from '../connection.ts'
import { readTask } from '../wire/task.ts'
import { readElicitations, readPrompts } from '../wire/prompts.ts'
import { createFailure, readFailure, type Failure } from '../wire/failure.ts'
import { malformed, readOutcome } from '../wire/result.ts'
import type { News } from '../wire/news.ts'
import type { JsonObject, Task } from '../task.ts'
import { isEmpty, isObject } from '../wire/json.ts'
import type { Call, Server } from './protocol.ts'

/** 2025-11-25: consents first, then the same call again. */
const URL_FIRST = -32042

/** Sends the `tools/call`, the same in all protocols but for what `extra` adds, and reads its answer. */
export async function sendCall(
  connection: TaskConnection,
  call: Call,
  options: RequestOptions,
  extra: JsonObject = {},
): Promise<News> {
  const { tool, args, meta, round } = call
  const isModern = connection.generation === '2026-07-28'
  if (round && !isModern) demandConsent(round.answers)
  const params = {
    name: tool,
    arguments: args,
    ...(meta && { _meta: meta }),
    ...(round && isModern && { inputResponses: round.answers }),
    ...(round && round.requestState !== null && { requestState: round.requestState }),
    ...extra,
  }
  try {
    return readAnswer(await connection.request('tools/call', params, options), connection)
  } catch (error) {
    const failure = readFailure(error)
    const prompts = failure.code === URL_FIRST ? readElicitations(failure.data, connection.endpoint) : {}
    if (isEmpty(prompts)) throw failure
    return { prompts, requestState: null }
  }
}

/** What was declined once would only be asked for again. */
function demandConsent(answers: JsonObject) {
  if (Object.values(answers).every((answer) => isObject(answer) && answer['action'] === 'accept')) return
  throw createFailure({
    sort: 'unsent',
    kind: 'input-required',
    retryable: false,
    code: URL_FIRST,
    message: 'The tool needs a consent that was not given: it was not called again.',
  })
}

/** A call that was answered outright, as a finished task that is never read. */
export function outright(raw: unknown): News {
  const outcome = readOutcome(raw)
  if (outcome.as === 'failed' && outcome.error.kind === 'malformed') return { outcome }
  const task: Task = { taskId: null, status: outcome.as === 'completed' ? 'completed' : 'failed' }
  return { task, outcome }
}

/**
 * Reads the answer to a create call: a task handle (flat, wrapped, or disguised as an empty success), a request for input before
 * any work (MRTR), or the result itself. An answer that is none of them is `malformed`.
 */
export function readAnswer(raw: JsonObject, server: Server): News {
  if (!isObject(raw)) return outright(raw)
  const task = readTask(raw)
  if (task?.status === 'cancelled') return { task, outcome: { as: 'cancelled', confirmed: true } }
  if (task) return { task, ...readInterim(raw) }
  const type = raw['resultType']
  if (type === 'input_required') {
    const state = raw['requestState']
    return {
      prompts: readPrompts(raw['inputRequests'], server.endpoint),
      requestState: typeof state === 'string' ? state : null,
    }
  }
  if (type === 'task' || isObject(raw['task']))
    return { outcome: malformed('a task handle with a string `taskId` and a string `status`', raw) }
  return outright(raw)
}

const immediate = 'io.modelcontextprotocol/model-immediate-response'

function readInterim(raw: JsonObject): Pick<News, 'interim'> {
  const text = isObject(raw['_meta']) ? raw['_meta'][immediate] : undefined
  return typeof text === 'string' ? { interim: text } : {}
}

/** A task was demanded where none can be had. */
export const noTasks = (message: string): Failure =>
  createFailure({ sort: 'unsent', kind: 'unsupported', retryable: false, message: `${message} Nothing was sent.` })
