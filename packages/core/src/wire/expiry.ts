import type { JsonObject } from '../task.ts'
import { isObject } from './json.ts'
import type { Outcome } from './news.ts'

const expired: Outcome = {
  as: 'expired',
  error: { kind: 'expired', message: 'The server says that the task has expired.' },
}
const words: readonly unknown[] = ['task_expired', 'expired']

/** Seen in the wild, as a status, a result type or the code of an error: the task ran out of time. */
export function readExpiry({ status, resultType, code, error }: JsonObject): Outcome | undefined {
  const said = [status, resultType, code, isObject(error) ? error['code'] : undefined]
  return said.some((word) => words.includes(word)) ? expired : undefined
}
