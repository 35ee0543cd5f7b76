import { isObject } from '../wire/json.ts'
import type { Call, Params } from './types.ts'

/** Marks a request of ours on its way through the SDK: a symbol survives its copying, and is in no JSON. */
const MARK = Symbol('call')

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const TASKS = 'io.modelcontextprotocol/tasks'

/** Puts the mark on the parameters of a request, or on the filter of a subscription. */
export function mark<T extends object>(params: T, call: Call): T {
  return { ...params, [MARK]: call }
}

/** Takes the mark off again, before a transport sees it. */
export function unmark(params: Params | undefined): Call | undefined {
  const marked = params?.notifications?.[MARK] ? params.notifications : params
  const call = marked?.[MARK] as Call | undefined
  if (call) delete marked![MARK]
  return call
}

let declared: unknown
let extended: unknown

/** Adds the tasks extension to the client's own capabilities in the envelope of a 2026-07-28 request (EXT-NEG-1). */
export function declareTasks(meta: Params['_meta']): void {
  const capabilities = meta?.[CAPABILITIES]
  if (!isObject(capabilities)) return
  // The SDK hands over the same object each time.
  if (capabilities !== declared) {
    declared = capabilities
    extended = { ...capabilities, extensions: { [TASKS]: {}, ...(capabilities.extensions as object) } }
  }
  meta![CAPABILITIES] = extended
}
