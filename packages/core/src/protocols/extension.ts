import type { JsonObject, Task } from '../task.ts'
import { isTerminal } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import { readPrompts } from '../wire/prompts.ts'
import { createFailure } from '../wire/failure.ts'
import { malformed, malformedError, readOutcome } from '../wire/result.ts'
import { readTask } from '../wire/task.ts'
import { callParams, readAnswer } from './call.ts'
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

const expired: Outcome = {
  as: 'expired',
  error: { kind: 'expired', message: 'The server says that the task has expired.' },
}
const expiry: readonly unknown[] = ['task_expired', 'expired']

/** Seen in the wild, as a status, a result type or the code of an error: the task ran out of time. */
function isExpired({ status, resultType, code, error }: JsonObject): boolean {
  return [status, resultType, code, isObject(error) ? error['code'] : undefined].some((word) => expiry.includes(word))
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
  const outcome = isExpired(body) ? expired : isTerminal(task.status) ? readPayload(body, task) : undefined
  return outcome ? { task, outcome } : { task }
}

const protocol: Protocol = {
  name: 'extension',
  choose({ generation, supportsTasks }) {
    if (generation === '2026-07-28' && supportsTasks) return protocol
    throw createFailure({
      sort: 'unsent',
      kind: 'unsupported',
      retryable: false,
      message: 'This connection does not have the tasks extension: see `supportsTasks`. Nothing was sent.',
    })
  },
  callParams,
  readAnswer,
  read: (connection, taskId, options) => connection.request('tasks/get', { taskId }, options),
  readSnapshot,
  // A handle never carries the payload (EXT-CREATE-2), and some servers forget it in a read: one more read decides.
  async settle(connection, task, options) {
    const taskId = task.taskId!
    const raw = await connection.request('tasks/get', { taskId }, options)
    const news = readSnapshot(raw, taskId, connection)
    if (!news)
      throw createFailure({ ...malformedError('a snapshot of the task that was asked for', raw), sort: 'malformed' })
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
