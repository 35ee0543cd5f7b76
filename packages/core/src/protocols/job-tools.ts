import type { TaskConnection } from '../connection.ts'
import { expected } from '../options.ts'
import { isTerminal, type JsonObject, type TaskStatus } from '../task.ts'
import { createFailure, type Failure } from '../wire/failure.ts'
import { isObject } from '../wire/json.ts'
import type { News } from '../wire/news.ts'
import { failureText, malformed, malformedError, readOutcome } from '../wire/result.ts'
import { createJobReader, type JobPart, type JobWord } from './job-reader.ts'
import type { Protocol, TaskProtocol } from './protocol.ts'

/** Which tools of a server make up a job, and where they say what. */
export interface JobToolsOptions {
  /** @default the runner's tool */
  readonly start?: string
  readonly status: string
  /** Without it a job cannot be cancelled. */
  readonly cancel?: string
  /** Runs a failed or cancelled job again, by its id. @default the job is started anew */
  readonly retry?: string
  /** Gives the result of a job that is done. @default the status says it */
  readonly result?: string
  /** The arguments that name a job to the other tools: the name of one argument, or all of them. @default the name under which the id was found */
  readonly idArgument?: string | ((id: string) => JsonObject)
  /**
   * Where to look: paths into the structured content (`'job.id'`), or functions of the whole tool result. By default the names of
   * `ReportJobView` (`jobId`, `status`, `percent`, `phase`, `summary`, `canCancel`, `canRetry`, `result`, `error`), and `job_id`, `id`, `state`, and
   * `progress` (a number, or an object with `current`, `progress` or `value`, and `total`).
   */
  readonly read?: Partial<Record<JobPart, string | ((result: JsonObject) => unknown)>>
  /** The server's words, in lower case, to ours; wins over the known ones. */
  readonly words?: Readonly<Record<string, JobWord>>
}

const names = ['start', 'status', 'cancel', 'retry', 'result'] as const

/** The text of a tool that failed, which says why in its own words. */
const sayFailed = (raw: JsonObject): string => failureText(Array.isArray(raw['content']) ? raw['content'] : [])

/**
 * Jobs by convention: one tool starts a job, others tell its status, cancel it, run it again or give its result. The way that works
 * through every host, whatever protocol it speaks.
 *
 * @throws TypeError if an option is not what it should be
 */
export function jobTools(options: JobToolsOptions): TaskProtocol {
  expected(isObject(options), 'the options of jobTools, with the name of the `status` tool')
  for (const name of names) {
    const tool: unknown = options[name]
    const isFine = (tool === undefined && name !== 'status') || (typeof tool === 'string' && tool !== '')
    expected(isFine, `\`${name}\` to be the name of a tool`)
  }
  const reader = createJobReader(options)
  /** Ids that a server exchanged for others midway, newest last (P68). */
  const followed = new Map<string, string>()

  const call = (connection: TaskConnection, tool: string, taskId: string, settings: object) =>
    connection.request(
      'tools/call',
      { name: tool, arguments: reader.argumentsFor(followed.get(taskId) ?? taskId) },
      settings,
    )

  /** Whether an error tells how this very job stands: a tool that has waited in vain may say so as an error. */
  const tells = (raw: JsonObject, taskId: string): boolean => {
    try {
      const { id, isTold } = reader.read(raw)
      return isTold && id === (followed.get(taskId) ?? taskId)
    } catch {
      return false
    }
  }

  /** What every tool of the job says of it. */
  const readJob = (raw: JsonObject, taskId: string | undefined, demanded?: 'id' | 'status'): News => {
    const { id, status, isTold, task, ...news } = reader.read(raw, demanded)
    if (demanded === undefined && !isTold) return {}
    if (taskId !== undefined && id !== undefined && id !== taskId) followed.set(taskId, id)
    const outcome = isTerminal(status) ? outcomeOf(raw, status) : undefined
    return {
      ...news,
      task: { ...task, taskId: id ?? taskId!, status },
      ...(options.cancel === undefined && { mayCancel: false }),
      ...(options.retry !== undefined && { isRepeatable: true }),
      ...(outcome && { outcome }),
    }
  }

  /** What the tool says that started the job, or started it again. */
  const readStart = (raw: JsonObject, again?: string): News => {
    if (!isObject(raw) || raw['isError'] === true)
      return { task: { taskId: null, status: 'failed' }, outcome: readOutcome(raw) }
    try {
      const news = readJob(raw, again, again === undefined ? 'id' : undefined)
      // It was started again, whatever else the answer leaves out.
      return news.task ? news : { task: { taskId: again!, status: 'working' } }
    } catch (error) {
      return { outcome: malformed((error as Error).message, raw) }
    }
  }

  const outcomeOf = (raw: JsonObject, status: TaskStatus): News['outcome'] => {
    if (status === 'cancelled') return { as: 'cancelled', confirmed: true }
    if (status === 'failed') return { as: 'failed', error: reader.readError(raw) }
    return options.result === undefined ? reader.readResult(raw) : undefined
  }

  const protocol: Protocol = {
    name: 'job-tools',
    async create(connection, { tool, args, meta, again }, settings) {
      const isAgain = again !== undefined && options.retry !== undefined
      const raw = isAgain
        ? await call(connection, options.retry, again, settings)
        : await connection.request(
            'tools/call',
            { name: options.start ?? tool, arguments: args, ...(meta && { _meta: meta }) },
            settings,
          )
      return readStart(raw, isAgain ? again : undefined)
    },
    readAnswer: (raw) => readStart(raw),
    async read(connection, taskId, settings) {
      const raw = await call(connection, options.status, taskId, settings)
      // A job it does not know, or trouble of its own: the tries that follow decide (JOB-POLL-2, P24).
      if (isObject(raw) && raw['isError'] === true && !tells(raw, taskId)) throw doubt(raw)
      return raw
    },
    readSnapshot(raw, taskId) {
      try {
        return isObject(raw) ? readJob(raw, taskId, 'status') : null
      } catch (error) {
        throw misread(error as Error, raw)
      }
    },
    fetch: (connection, taskId, settings) => call(connection, options.result ?? options.status, taskId, settings),
    readPayload: (raw) => ({ outcome: readOutcome(raw) }),
    update: () => Promise.reject({ code: -32602, message: 'Job tools ask for no input.' }),
    async cancel(connection, taskId, settings) {
      if (options.cancel === undefined) throw unsupported
      const raw = await call(connection, options.cancel, taskId, settings)
      // Whatever it says: what has become of the job is told by its status.
      if (isObject(raw) && raw['isError'] === true)
        throw createFailure({ sort: 'gone', kind: 'tool', retryable: false, answered: true, message: sayFailed(raw) })
      return isObject(raw) ? readJob(raw, taskId) : {}
    },
  }
  return protocol
}

const misread = ({ message }: Error, raw: JsonObject): Failure =>
  createFailure({ ...malformedError(message, raw), sort: 'refused', retryable: false, answered: true })

const unsupported: Failure = createFailure({
  sort: 'refused',
  kind: 'unsupported',
  retryable: false,
  message: 'There is no tool that cancels this job.',
})

const doubt = (raw: JsonObject): Failure =>
  createFailure({
    sort: 'transient',
    kind: 'expired',
    retryable: false,
    answered: true,
    endsAs: 'gone',
    message: sayFailed(raw),
  })
