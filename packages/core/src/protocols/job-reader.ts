import type { ErrorRecord } from '../errors.ts'
import { expected } from '../options.ts'
import type { ContentBlock, JsonObject, Task, TaskStatus } from '../task.ts'
import type { JobInfo, Progress } from '../view.ts'
import { isObject } from '../wire/json.ts'
import type { News, Outcome } from '../wire/news.ts'
import { finite, percentOf } from '../wire/progress.ts'
import { failureText, readData } from '../wire/result.ts'
import type { JobToolsOptions } from './job-tools.ts'

/** What can be told of a job. */
export type JobPart =
  | 'id'
  | 'status'
  | 'percent'
  | 'progress'
  | 'stage'
  | 'summary'
  | 'canCancel'
  | 'canRetry'
  | 'result'
  | 'error'
  | 'artifact'
  | 'pollInterval'
  | 'display'

/** What a tool's answer says of a job. */
interface JobNews extends Omit<News, 'task'> {
  readonly id: string | undefined
  /** There was a word for its status. */
  readonly isTold: boolean
  readonly status: TaskStatus
  readonly task: Partial<Task>
}

/** What a server's word means. */
export type JobWord = TaskStatus | 'cancel_requested' | 'timed_out'

const known: Readonly<Record<string, JobWord>> = Object.fromEntries(
  Object.entries({
    working: 'queued pending running in_progress working',
    completed: 'succeeded success completed done',
    failed: 'failed error interrupted',
    timed_out: 'timed_out',
    cancelled: 'cancelled canceled',
    cancel_requested: 'cancel_requested',
  } as const).flatMap(([word, theirs]) => theirs.split(' ').map((their) => [their, word as JobWord])),
)

/** Where each part is looked for where nothing is configured; the first one that is there counts. */
const usual: Readonly<Partial<Record<JobPart, readonly string[]>>> = {
  id: ['jobId', 'job_id', 'id'],
  status: ['status', 'state'],
  percent: ['percent'],
  progress: ['progress'],
  stage: ['phase', 'stage'],
  summary: ['summary'],
  canCancel: ['canCancel'],
  canRetry: ['canRetry'],
  result: ['result'],
  error: ['error'],
  pollInterval: ['pollIntervalMs', 'pollInterval', 'pollMs', 'poll_again_after_ms'],
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
/** A log may be long: people look at its end. */
const longest = 50

/** Reads what job tools answer, each in the words and places of its server. */
export function createJobReader({ read = {}, words = {}, idArgument }: JobToolsOptions) {
  for (const [part, where] of Object.entries(read))
    expected(typeof where === 'string' || typeof where === 'function', `\`read.${part}\` to be a path or a function`)
  for (const [word, meaning] of Object.entries(words))
    expected(
      word === word.toLowerCase() && typeof meaning === 'string',
      `\`words\` to be in lower case, unlike ${word}`,
    )

  /** Under which name the id was found last, for the tools that ask for it. */
  let idName = typeof read.id === 'string' ? read.id.split('.').at(-1)! : 'jobId'

  const find = (part: JobPart, raw: JsonObject, data: unknown): unknown => {
    const where = read[part]
    if (typeof where === 'function') return where(raw)
    if (typeof where === 'string') return at(data, where)
    const name = usual[part]?.find((each) => isObject(data) && data[each] !== undefined)
    if (name !== undefined && part === 'id') idName = name
    return name === undefined ? undefined : (data as JsonObject)[name]
  }

  /** A part that has to be there. @throws Error whose message says what was expected and what came */
  const demand = (part: JobPart, raw: JsonObject, data: unknown): string => {
    const value = find(part, raw, data)
    const found = typeof value === 'number' ? String(value) : text(value)
    if (found !== null) return found
    const where = read[part]
    const place =
      typeof where === 'string' ? `at \`${where}\`` : where ? 'from `read`' : `as one of ${usual[part]?.join(', ')}`
    const came = isObject(data) ? `only ${Object.keys(data).join(', ') || 'an empty object'}` : 'no structured content'
    throw new Error(`a job's ${part} ${place}, and found ${came}`)
  }

  const meaningOf = (word: string): JobWord | undefined =>
    [words, known].find((table) => Object.hasOwn(table, word))?.[word]

  return {
    /** The arguments by which the other tools know the job. */
    argumentsFor: (id: string): JsonObject =>
      typeof idArgument === 'function' ? idArgument(id) : { [idArgument ?? idName]: id },

    /** @param demanded what has to be there: the id in the answer that made the job, the status in those that tell of it */
    read(raw: JsonObject, demanded?: 'id' | 'status'): JobNews {
      const data = readData(raw, contentOf(raw))
      const id = demanded === 'id' ? demand('id', raw, data) : idOf(find('id', raw, data))
      const said = demanded === 'status' ? demand('status', raw, data) : find('status', raw, data)
      const word = typeof said === 'string' ? said.toLowerCase() : 'working'
      const meaning = meaningOf(word)
      const summary = text(find('summary', raw, data))
      const stage = text(find('stage', raw, data))
      const interval = finite(find('pollInterval', raw, data))
      const [mayCancel, mayRetry] = [find('canCancel', raw, data), find('canRetry', raw, data)]
      const times = isObject(data) ? { createdAt: text(data['startedAt']), lastUpdatedAt: text(data['updatedAt']) } : {}
      return {
        id,
        isTold: said !== undefined,
        status:
          meaning === 'timed_out' ? 'failed' : meaning === 'cancel_requested' ? 'working' : (meaning ?? 'working'),
        task: {
          ...(meaning === undefined && { rawStatus: word }),
          ...(summary !== null && { statusMessage: summary }),
          ...(interval !== null && { pollInterval: interval }),
          ...Object.fromEntries(Object.entries(times).filter(([, time]) => time !== null)),
        },
        job: {
          word: typeof said === 'string' ? said : word,
          stage,
          summary,
          artifact: artifactOf(find('artifact', raw, data) ?? find('result', raw, data)),
          display: displayOf(read.display ? find('display', raw, data) : raw['_meta']),
        },
        progress: progressOf(find('percent', raw, data), find('progress', raw, data), summary ?? stage),
        ...(typeof mayCancel === 'boolean' && { mayCancel }),
        ...(typeof mayRetry === 'boolean' && { mayRetry }),
        ...(meaning === 'cancel_requested' && { isBeingCancelled: true }),
      }
    },

    /** The result, as the status tells it. */
    readResult(raw: JsonObject): Outcome {
      const content = contentOf(raw)
      const all = readData(raw, content)
      const data = find('result', raw, all) ?? all
      return { as: 'completed', result: { data, content, isError: false, raw } }
    },

    /** Why the job has failed: in the server's words where there are some, with its code where `retryPolicy` can find it. */
    readError(raw: JsonObject): ErrorRecord {
      const content = contentOf(raw)
      const data = readData(raw, content)
      const error = find('error', raw, data)
      const said = isObject(error) ? text(error['message']) : text(error)
      const message = said ?? text(find('summary', raw, data)) ?? failureText(content)
      const isLate = meaningOf(String(find('status', raw, data)).toLowerCase()) === 'timed_out'
      const details = isObject(error) ? { error } : isLate ? { error: { code: 'timed_out' } } : data
      // That time ran out is no answer to what was asked: trying again can help.
      return { kind: 'tool', message, data: details, ...(isLate && { retryable: true }) }
    },
  }
}

const contentOf = ({ content }: JsonObject): readonly ContentBlock[] =>
  Array.isArray(content)
    ? content.filter((block): block is ContentBlock => isObject(block) && typeof block['type'] === 'string')
    : []

function at(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), data)
}

const idOf = (value: unknown) => (typeof value === 'number' ? String(value) : (text(value) ?? undefined))

function artifactOf(value: unknown): JobInfo['artifact'] {
  if (!isObject(value)) return null
  const id = idOf(value['artifactId'] ?? value['id'])
  const title = text(value['title'] ?? value['name'])
  return id === undefined || title === null ? null : { id, title }
}

function displayOf(value: unknown): JsonObject {
  if (!isObject(value)) return {}
  const shown = Object.entries(value).filter(
    ([name]) => !name.includes('modelcontextprotocol.io') && !name.startsWith('io.modelcontextprotocol/'),
  )
  return Object.fromEntries(shown.map(([name, item]) => [name, Array.isArray(item) ? item.slice(-longest) : item]))
}

function progressOf(percent: unknown, progress: unknown, message: string | null): Progress {
  const given = isObject(progress) ? progress : { value: progress }
  const value = finite(percent) ?? finite(given['current'] ?? given['progress'] ?? given['value'])
  const total = finite(percent) !== null ? 100 : finite(given['total'])
  return { value, total: value === null ? null : total, percent: percentOf(value, total), message }
}
