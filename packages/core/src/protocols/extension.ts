import type { JsonObject, Task } from '../task.ts'
import { isTerminal } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import { readPrompts } from '../wire/prompts.ts'
import { createFailure } from '../wire/failure.ts'
import { malformed, malformedError, readOutcome } from '../wire/result.ts'
import { readTask } from '../wire/task.ts'
import { callParams, readAnswer } from './call.ts'
import type { Protocol, TaskProtocol } from './protocol.ts'

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
  // Seen in the wild instead of a status: the task ran out of time.
  if (raw['code'] === 'task_expired')
    return { as: 'expired', error: { kind: 'expired', message: 'The task has expired.' } }
  if (task.status === 'completed' && raw['result'] !== undefined) return readOutcome(raw['result'])
  if (task.status === 'failed' && raw['error'] !== undefined) return readError(raw['error'], task)
  // A few servers of this generation keep the older habit: the tool's own failure under `failed`.
  if (task.status === 'failed' && raw['result'] !== undefined) return readOutcome(raw['result'])
  return undefined
}

function readSnapshot(raw: JsonObject, taskId: string, server: string): News | null {
  const task = readTask(raw)
  if (task?.taskId !== taskId) return null
  const body = isObject(raw['task']) ? raw['task'] : raw
  if (task.status === 'input_required') return { task, prompts: readPrompts(body['inputRequests'], server) }
  const outcome = isTerminal(task.status) ? readPayload(body, task) : undefined
  return outcome ? { task, outcome } : { task }
}

const protocol: Protocol = {
  name: 'extension',
  callParams,
  readAnswer,
  read: (connection, taskId, options) => connection.request('tasks/get', { taskId }, options),
  readSnapshot,
  // A handle never carries the payload (EXT-CREATE-2), and some servers forget it in a read: one more read decides.
  async settle(connection, task, options) {
    const taskId = task.taskId!
    const raw = await connection.request('tasks/get', { taskId }, options)
    const news = readSnapshot(raw, taskId, connection.endpoint)
    if (!news)
      throw createFailure({ ...malformedError('a snapshot of the task that was asked for', raw), sort: 'malformed' })
    return news.outcome ? news : { outcome: malformed('the finished task with its `result` or `error`', raw) }
  },
  update: (connection, taskId, inputResponses, options) =>
    connection.request('tasks/update', { taskId, inputResponses }, options),
  // The acknowledgement is empty and says only "heard" (EXT-CANCEL-2).
  cancel: (connection, taskId, options) => connection.request('tasks/cancel', { taskId }, options).then(() => ({})),
}

/** MCP tasks of 2026-07-28, extension `io.modelcontextprotocol/tasks`: the server decides per call whether it becomes a task. */
export function extension(): TaskProtocol {
  return protocol
}
