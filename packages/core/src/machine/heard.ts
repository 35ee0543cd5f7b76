import { readAnswer } from '../protocols/call.ts'
import { readFailure, type Failure } from '../wire/failure.ts'
import { isObject } from '../wire/json.ts'
import type { News } from '../wire/news.ts'
import type { JsonObject } from '../task.ts'

/** News and failures reach the chart in many events; here is the one place that knows where each keeps them. */
const adopted = new WeakMap<JsonObject, News>()

/** What an event says about the task, if it says anything. */
export function newsOf(event: object): News | undefined {
  const { news, output, answer } = event as { news?: News; output?: unknown; answer?: JsonObject }
  if (news) return news
  if (isObject(output)) return output as News
  if (!isObject(answer)) return undefined
  // Guards and actions ask several times.
  let read = adopted.get(answer)
  if (!read) adopted.set(answer, (read = readAnswer(answer, { endpoint: '' })))
  return read
}

/** Why an event brings no news. */
export function failureOf(event: object): Failure | undefined {
  const { failure, error } = event as { failure?: Failure; error?: unknown }
  if (failure || error === undefined) return failure
  // Only an actor that broke tells anything else than a failure.
  return isObject(error) && 'sort' in error ? (error as unknown as Failure) : readFailure(error)
}
