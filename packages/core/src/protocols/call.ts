import { readTask } from '../wire/task.ts'
import { readPrompts } from '../wire/prompts.ts'
import { malformed, readOutcome } from '../wire/result.ts'
import type { News } from '../wire/news.ts'
import type { JsonObject, Task } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { Call, Server } from './protocol.ts'

/** Parameters of a `tools/call`, the same in all protocols. */
export function callParams({ tool, args, meta, round }: Call): JsonObject {
  return {
    name: tool,
    arguments: args,
    ...(meta && { _meta: meta }),
    ...(round && { inputResponses: round.answers }),
    ...(round && round.requestState !== null && { requestState: round.requestState }),
  }
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
