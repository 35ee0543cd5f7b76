import { expected } from '../options.ts'
import { isTerminal, type JsonObject, type Task } from '../task.ts'
import { INTERRUPTED, readFailure } from '../wire/failure.ts'
import { readExpiry } from '../wire/expiry.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import { malformedFailure, readOutcome } from '../wire/result.ts'
import { readTask } from '../wire/task.ts'
import type { TaskConnection } from '../connection.ts'
import { noTasks, sendCall } from './call.ts'
import { followedCall } from './plain-call.ts'
import type { Call, Protocol, TaskProtocol } from './protocol.ts'

/** What is asked of servers of 2025-11-25, and for which calls. */
export interface AugmentedOptions {
  /** ms that servers are asked to keep tasks from their creation; `fire({ ttl })` wins. @default not asked: the server decides */
  readonly ttl?: number
  /** Whether a call of an `optional` tool is to become a task. @default always */
  readonly when?: (args: JsonObject) => boolean
}

const relatedTask = 'io.modelcontextprotocol/related-task'

/** A task as the server has it now; one that was cancelled has nothing to fetch (AUG-RESULT-3). */
function readSnapshot(raw: JsonObject, taskId: string): News | null {
  const task = readTask(raw)
  if (task?.taskId !== taskId) return null
  const outcome = readExpiry(isObject(raw['task']) ? raw['task'] : raw)
  if (outcome) return { task, outcome }
  return task.status === 'cancelled' ? { task, outcome: { as: 'cancelled', confirmed: true } } : { task }
}

/** What a fetched payload says. @throws Failure if that is nothing, and only a read can tell */
function outcomeOf(raw: JsonObject, task: Task): Outcome {
  const says = ['content', 'structuredContent', 'isError'].some((part) => isObject(raw) && raw[part] !== undefined)
  const isReadable = says && (isTerminal(task.status) || Array.isArray(raw['content'] ?? []))
  if (isReadable)
    return readOutcome((raw['content'] ?? raw['structuredContent']) === undefined ? { ...raw, content: [] } : raw)
  // Some servers leave the content out (AUG-RESULT-7), and some answer so for a task that was cancelled (AUG-RESULT-3).
  if (isObject(raw) && !says && readTask(raw) === null && isTerminal(task.status)) {
    if (task.status === 'completed') return readOutcome({ ...raw, content: [] })
    const message = task.statusMessage ?? 'The task failed without saying why.'
    return { as: 'failed', error: { kind: 'protocol', message, retryable: true } }
  }
  throw malformedFailure('the result of the task', raw)
}

const protocol: Protocol = {
  name: 'augmented',
  asksWhileFetching: true,
  async create(connection, call, options) {
    const news = await sendCall(connection, call, options, { task: call.ttl === undefined ? {} : { ttl: call.ttl } })
    // For what it waits is told while its result is fetched, not by a read.
    return news.task?.status === 'input_required' ? { prompts: {}, ...news } : news
  },
  read: (connection, taskId, options) => connection.request('tasks/get', { taskId }, options),
  readSnapshot,
  fetch: (connection, taskId, options) => connection.request('tasks/result', { taskId }, options),
  readPayload(raw, task) {
    const related = isObject(raw) && isObject(raw['_meta']) ? raw['_meta'][relatedTask] : undefined
    if (isObject(related) && related['taskId'] !== task.taskId)
      throw malformedFailure('the result of the task that was asked for', raw)
    const outcome = outcomeOf(raw, task)
    const status = outcome.as === 'completed' ? 'completed' : 'failed'
    // Answered before any read said so: the task has ended all the same.
    return isTerminal(task.status) ? { outcome } : { task: { ...task, status, statusMessage: undefined }, outcome }
  },
  // The original error of the call, once it is known that it has failed; before that it may be about the task (wire.md, section 4).
  readError(failure, task) {
    const { sort, message, code, data, answered, status } = failure
    const isOwn = answered && status === undefined && code !== undefined && code !== INTERRUPTED && sort !== 'gone'
    return task.status === 'failed' && isOwn
      ? { outcome: { as: 'failed', error: { kind: 'protocol', message, code, data, retryable: true } } }
      : undefined
  },
  // Prompts are requests of the server, answered where they came in: one that is open no more has nowhere to go.
  update: () => Promise.reject({ code: -32602, message: 'The server no longer waits for this answer.' }),
  async cancel(connection, taskId, options) {
    const raw = await connection.request('tasks/cancel', { taskId }, options)
    return readSnapshot(raw, taskId) ?? {}
  },
}

/** What the tool says; a server that lists no tools has none that may become a task. */
async function supportOf(connection: TaskConnection, tool: string) {
  try {
    return await connection.taskSupport(tool)
  } catch (error) {
    const failure = readFailure(error)
    if (failure.sort === 'refused' && failure.kind !== 'unsupported') return 'forbidden'
    throw failure
  }
}

/** How a call may become a task here: `null` = not at all (AUG-NEG-1, -2, -4). */
export async function choose(
  connection: TaskConnection,
  { tool, args, ttl: asked }: Call,
  { ttl, when }: AugmentedOptions = {},
): Promise<Protocol | null> {
  if (connection.generation !== '2025-11-25' || !connection.supportsTasks) return null
  const support = await supportOf(connection, tool)
  if (support !== 'required' && support !== 'optional') return null
  if (support === 'optional' && when && !when(args)) return followedCall(() => protocol.name)
  return asked === undefined && ttl !== undefined
    ? { ...protocol, create: (at, call, options) => protocol.create(at, { ...call, ttl }, options) }
    : protocol
}

/**
 * MCP tasks of 2025-11-25: the client asks for one, where the server's capability and the tool's `execution.taskSupport` allow it.
 * Demands that: elsewhere `fire` rejects as `unsupported`, with the tool not called. A server may still answer outright.
 *
 * @throws TypeError if an option is not what it should be
 */
export function augmented(options: AugmentedOptions = {}): TaskProtocol {
  const { ttl, when } = options
  expected(ttl === undefined || (Number.isFinite(ttl) && ttl! > 0), '`ttl` to be a positive number of ms')
  expected(when === undefined || typeof when === 'function', '`when` to be a function of the arguments')
  const demanding: Protocol = {
    ...protocol,
    async choose(connection, call) {
      const chosen = await choose(connection, call, options)
      if (chosen) return chosen
      throw noTasks('This tool cannot be called as a task of 2025-11-25 on this connection.')
    },
  }
  return demanding
}

/** The protocol of tasks that exist already. */
export const augmentedTasks = protocol
