import type { RequestOptions, TaskConnection } from '../connection.ts'
import { toRequestError, type RequestError, type RequestErrorReason } from '../mcp/errors.ts'
import { MODERN } from '../mcp/negotiated.ts'
import type { McpClient } from '../mcp/types.ts'
import type { JsonObject } from '../task.ts'
import { isObject } from '../wire/json.ts'
import type { CreatedTasks } from './created-tasks.ts'
import { isForViews, type createHiddenTools } from './hidden-tools.ts'
import type { Bridge, Context, Handler } from './types.ts'
import { CAPABILITIES, NO_ANSWER, TASKS } from './words.ts'

/** ms. Calls and the wait for a result take as long as they take; the view gives up when it wants to. */
const PATIENCE = 2 ** 31 - 1
/** Requests of one view that are out at once. */
const MOST = 100

const UNKNOWN: readonly RequestErrorReason[] = ['timeout', 'network', 'closed', 'malformed']

/** What the relay of one bridge works with. */
export interface Ends {
  readonly bridge: Bridge
  readonly client: McpClient
  readonly upstream: TaskConnection
  readonly tasks: CreatedTasks
  readonly hidden: ReturnType<typeof createHiddenTools>
}

/** Handlers that carry a view's requests to the server. */
export function createRelay({ bridge, client, upstream, tasks, hidden }: Ends) {
  const isModern = upstream.generation === MODERN
  let out = 0

  const counted = async (request: () => Promise<JsonObject>) => {
    if (out >= MOST) throw failure(-32603, 'Too many requests of this view are out at once.')
    out++
    try {
      return await request()
    } catch (error) {
      throw toAnswer(error as RequestError)
    } finally {
      out--
    }
  }
  const send = (method: string, params: JsonObject, options: RequestOptions) =>
    counted(() => upstream.request(method, params, options))

  /** Without a task the host's own handlers answer what the server asks meanwhile, as without a relay. */
  const callPlainly = async (params: JsonObject, options: RequestOptions): Promise<JsonObject> => {
    const { onProgress: onprogress, ...rest } = options
    const request = client.request as (request: object, options: object) => Promise<JsonObject>
    const settings = { ...rest, onprogress, resetTimeoutOnProgress: true }
    try {
      return await request.call(client, { method: 'tools/call', params }, settings)
    } catch (error) {
      if (typeof (error as RequestError).code === 'number') throw error
      const call = { method: 'tools/call', outlives: false, sent: true }
      throw toRequestError(error, call, options.signal?.aborted, undefined)
    }
  }

  /** @throws if views may not call it, or that is not known */
  const demandForViews = async (tool: unknown) => {
    const isHidden = await hidden.has(tool).catch(() => {
      throw failure(-32603, 'Which tools a view may call is not known now. The call was not made.')
    })
    if (isHidden) throw failure(-32602, 'This tool is not for views.')
  }

  const call: Handler = async (given, context) => {
    const { params, progressToken, followsTasks } = read(given, context, isModern)
    const onProgress = (progress: JsonObject) => {
      const notification = { method: 'notifications/progress', params: { ...progress, progressToken } }
      bridge.notification(notification).catch((error: Error) => bridge.onerror?.(error))
    }
    const options = {
      signal: context.mcpReq.signal,
      timeout: PATIENCE,
      ...(progressToken !== undefined && { onProgress }),
    }
    await demandForViews(params['name'])
    if (isModern && !followsTasks) return counted(() => callPlainly(params, options))
    const answer = await send('tools/call', params, options)
    tasks.add(answer)
    return answer
  }

  return {
    call,
    /** A request about one task, which must be the view's own. */
    async about(method: string, given: JsonObject, context: Context): Promise<JsonObject> {
      if (!tasks.has(given['taskId'])) throw failure(-32602, 'Task not found')
      const { params } = read(given, context, isModern)
      const { signal } = context.mcpReq
      const answer = await send(method, params, method === 'tasks/result' ? { signal, timeout: PATIENCE } : { signal })
      tasks.see(answer)
      return answer
    },
    /** Of the list only what is the view's own. */
    async list(given: JsonObject, { mcpReq: { signal } }: Context): Promise<JsonObject> {
      const page = await send('tasks/list', given, { signal })
      const own = [page['tasks']].flat().filter((task) => isObject(task) && tasks.has(task['taskId']))
      return { ...page, tasks: own }
    },
    /** Tells views which tools may become tasks, of those they may call. */
    async tools(given: JsonObject, { mcpReq: { signal } }: Context): Promise<JsonObject> {
      const page = await send('tools/list', given, { signal })
      return { ...page, tools: [page['tools']].flat().filter(isForViews) }
    },
  }
}

/** A view's parameters as its server is to get them: the SDK takes some out, and a progress token is good on one connection only. */
function read({ _meta, ...rest }: JsonObject, { mcpReq }: Context, isModern: boolean) {
  const { progressToken, ...meta } = (_meta ?? {}) as { progressToken?: string | number }
  const { envelope, inputResponses } = mcpReq
  const declared = envelope?.[CAPABILITIES]
  const extensions = isModern && isObject(declared) ? declared['extensions'] : undefined
  const followsTasks = isObject(extensions) && isObject(extensions[TASKS])
  const requestState = mcpReq.requestState?.()
  const whole = { ...meta, ...(followsTasks && { [CAPABILITIES]: declared }) }
  const params: JsonObject = {
    ...rest,
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
    ...(Object.keys(whole).length > 0 && { _meta: whole }),
  }
  return { params, progressToken, followsTasks }
}

/** What the view is answered: the server's own error, or that there was none. */
function toAnswer({ code, message, data, reason }: RequestError): Error {
  if (code !== undefined) return failure(code, message, data)
  if (reason === 'unsupported') return failure(-32601, 'Method not found')
  return UNKNOWN.includes(reason)
    ? failure(NO_ANSWER, 'The host got no answer of the server.')
    : failure(-32603, message)
}

function failure(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, data })
}
