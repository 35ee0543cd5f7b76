import type { JsonObject, Task } from '../task.ts'
import { isTerminal } from '../task.ts'
import { readExpiry } from '../wire/expiry.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import { readPrompts } from '../wire/prompts.ts'
import { malformed, malformedFailure, readOutcome } from '../wire/result.ts'
import { readTask } from '../wire/task.ts'
import { noTasks, sendCall } from './call.ts'
import type { Protocol, Server, TaskProtocol } from './protocol.ts'

function readError(raw: unknown, task: Task): Outcome {
  const { code, message, data } = isObject(raw) ? raw : ({} as JsonObject)
  const text =
    typeof message === 'string' && message !== ''
      ? message
      : (task.statusMessage ?? 'The task failed without saying why.')
  return {
    as: 'failed',
    error: {
      kind: 'protocol',
      message: text,
      code: typeof code === 'number' ? code : undefined,
      data,
      retryable: true,
    },
  }
}

/** The payload of a finished snapshot: inline, or absent in a seed and in answers that break the rules. */
function readPayload(raw: JsonObject, task: Task): Outcome | undefined {
  if (task.status === 'cancelled') return { as: 'cancelled', confirmed: true }
  if (task.status === 'completed' && raw['result'] !== undefined) return readOutcome(raw['result'])
  if (task.status === 'failed' && raw['error'] !== undefined) return readError(raw['error'], task)
  // A few servers of this generation keep the older habit: the tool's own failure under `failed`.
  if (task.status === 'failed' && raw['result'] !== undefined) return readOutcome(raw['result'])
  return undefined
}

function readSnapshot(raw: JsonObject, taskId: string, server: Server): News | null {
  const task = readTask(raw)
  if (task?.taskId !== taskId) return null
  const body = isObject(raw['task']) ? raw['task'] : raw
  if (task.status === 'input_required') return { task, prompts: readPrompts(body['inputRequests'], server.endpoint) }
  const outcome = readExpiry(body) ?? (isTerminal(task.status) ? readPayload(body, task) : undefined)
  return outcome ? { task, outcome } : { task }
}

const read: Protocol['read'] = (connection, taskId, options) => connection.request('tasks/get', { taskId }, options)

const protocol: Protocol = {
  name: 'extension',
  choose({ generation, supportsTasks }) {
    if (generation === '2026-07-28' && supportsTasks) return protocol
    throw noTasks('This connection does not have the tasks extension: see `supportsTasks`.')
  },
  subscribes: true,
  async create(connection, call, options) {
    const news = await sendCall(connection, call, options)
    return news.task?.taskId ? { ...news, endsProgress: true } : news
  },
  read,
  readSnapshot,
  // A handle never carries the payload (EXT-CREATE-2), and some servers forget it in a read: one more read decides.
  fetch: read,
  readPayload(raw, { taskId }, server) {
    const news = readSnapshot(raw, taskId!, server)
    if (!news) throw malformedFailure('a snapshot of the task that was asked for', raw)
    return news.outcome ? news : { outcome: malformed('the finished task with its `result` or `error`', raw) }
  },
  update: (connection, taskId, inputResponses, options) =>
    connection.request('tasks/update', { taskId, inputResponses }, options),
  // The acknowledgement is empty and says only "heard" (EXT-CANCEL-2).
  cancel: (connection, taskId, options) => connection.request('tasks/cancel', { taskId }, options).then(() => ({})),
}

/**
 * MCP tasks of 2026-07-28, extension `io.modelcontextprotocol/tasks`: the server decides per call whether it becomes a task.
 * Demands a connection that has them: elsewhere `fire` rejects as `unsupported`, with nothing sent.
 */
export function extension(): TaskProtocol {
  return protocol
}
