import { expected } from '../options.ts'
import { isObject } from '../wire/json.ts'
import type { Schedule } from './schedule.ts'
import type { Flavour } from './scripted-server.ts'

const kinds = {
  status: ['status', 'message', 'progress', 'stage', 'job', 'meta', 'result', 'error', 'ask', 'push'],
  fault: ['fault', 'times', 'on'],
  connection: ['connection'],
} as const
const faults: readonly unknown[] = ['drop', 'reset', 'gone', 'unauthorized', 'unavailable', 'session-lost', 'malformed']
const ends: readonly unknown[] = ['completed', 'failed', 'cancelled', 'succeeded', 'timed_out']

/** Whether nothing can come after that word. */
export const isEnd = (status: unknown): boolean => ends.includes(status)

/** A copy of a schedule. @throws TypeError if it is none, with a sentence that names the step and says what was expected */
export function checkSchedule(schedule: unknown, name: string, flavour: Flavour): Schedule {
  expected(Array.isArray(schedule), `${name} to be a list of steps, such as { after: 500, status: 'completed' }`)
  let end: string | undefined
  for (const [at, step] of [...(schedule as unknown[])].entries()) {
    const where = `step ${at + 1} of ${name}`
    expected(isObject(step), `${where} to be an object, such as { after: 500, status: 'completed' }`)
    const { after = 0 } = step
    expected(Number.isFinite(after) && (after as number) >= 0, `\`after\` in ${where} to be a number of ms, 0 or more`)
    const kind = 'fault' in step ? 'fault' : 'connection' in step ? 'connection' : 'status'
    const known: readonly string[] = ['after', ...kinds[kind]]
    const unknown = Object.keys(step).find((key) => !known.includes(key))
    expected(unknown === undefined, `${where} to have only ${known.join(', ')}, and not \`${unknown}\``)
    if (kind === 'fault') checkFault(step, where, at === schedule.length - 1)
    else if (kind === 'connection')
      expected(
        ['closed', 'open'].includes(step['connection'] as string),
        `\`connection\` in ${where} to be closed or open`,
      )
    else {
      expected(end === undefined, `nothing but faults after \`${end}\`, and not ${where}`)
      checkStatus(step, where, flavour)
      if (isEnd(step['status'])) end = step['status'] as string
    }
  }
  try {
    return structuredClone(schedule) as Schedule
  } catch {
    throw new TypeError(`Expected ${name} to be plain data, without functions.`)
  }
}

function checkFault({ fault, times = 1, on }: Readonly<Record<string, unknown>>, where: string, isLast: boolean) {
  const isError = isObject(fault) && ('code' in fault || 'status' in fault)
  expected(
    faults.includes(fault) || isError,
    `\`fault\` in ${where} to be one of ${faults.join(', ')}, or an error with a \`code\` or an HTTP \`status\``,
  )
  expected(
    times === Infinity || (Number.isInteger(times) && (times as number) > 0),
    `\`times\` in ${where} to be a positive number of requests`,
  )
  expected(times !== Infinity || isLast, `nothing after ${where}, which never ends`)
  expected(
    on === undefined || (typeof on === 'string' && on !== ''),
    `\`on\` in ${where} to be the name of a method or of a tool`,
  )
}

function checkStatus(step: Readonly<Record<string, unknown>>, where: string, flavour: Flavour) {
  const { status, message, stage, progress, job, meta, result, error, ask, push } = step
  for (const [name, value] of Object.entries({ status, message, stage }))
    expected(value === undefined || typeof value === 'string', `\`${name}\` in ${where} to be a text`)
  for (const [name, value] of Object.entries({ job, meta }))
    expected(value === undefined || isObject(value), `\`${name}\` in ${where} to be an object`)
  const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
  expected(
    progress == null || isNumber(isObject(progress) ? progress['value'] : progress),
    `\`progress\` in ${where} to be a number of percent, or { value, total }`,
  )
  expected(push === undefined || typeof push === 'boolean', `\`push\` in ${where} to be true or false`)
  expected(
    result === undefined || typeof result === 'string' || isObject(result),
    `\`result\` in ${where} to be a text or an object`,
  )
  expected(result === undefined || isEnd(status), `a \`status\` that ends the work beside \`result\` in ${where}`)
  expected(
    error === undefined || (isObject(error) && typeof error['message'] === 'string'),
    `\`error\` in ${where} to have a \`message\``,
  )
  expected(
    error === undefined || status === 'failed' || status === 'timed_out',
    `\`error\` in ${where} beside \`failed\``,
  )
  expected(
    flavour === 'jobTools' || (status !== 'succeeded' && status !== 'timed_out'),
    `\`completed\` or \`failed\` in ${where}: \`${String(status)}\` is a word of job tools`,
  )
  expected(
    status !== 'cancelled' || flavour !== 'plain',
    `no \`cancelled\` in ${where}: a plain call has no word for it`,
  )
  const isAsking = status === 'input_required'
  expected(!isAsking || flavour !== 'jobTools', `no \`input_required\` in ${where}: job tools ask nothing`)
  const isAsked = (value: unknown) =>
    isObject(value) && typeof value['method'] === 'string' && isObject(value['params'])
  const asks = isObject(ask) && Object.keys(ask).length > 0 && Object.values(ask).every(isAsked)
  expected(
    isAsking ? asks : ask === undefined,
    `\`input_required\` and \`ask\` together in ${where}, as { key: { method: 'elicitation/create', params } }`,
  )
}
