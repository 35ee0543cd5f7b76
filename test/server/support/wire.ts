import { randomUUID } from 'node:crypto'

/** A JSON object as it came over the wire. */
export type Json = Record<string, any>

/** A JSON-RPC error answer. */
export class RpcFailure extends Error {
  readonly code: number
  readonly data: Json | undefined
  constructor(error: { code: number; message: string; data?: Json }) {
    super(error.message)
    this.code = error.code
    this.data = error.data
  }
}

/** A 2026-07-28 request as a client that knows tasks (or not) sends it. */
export function requestMessage(method: string, params: Json, knowsTasks: boolean) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'server-test', version: '0.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {} },
      ...(knowsTasks && { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
    },
    ...params['_meta'],
  }
  return { jsonrpc: '2.0' as const, id: randomUUID(), method, params: { ...params, _meta } }
}

/** Tells the outcome of a JSON-RPC answer apart. */
export function resultOf(answer: Json): Json {
  if (answer['error']) throw new RpcFailure(answer['error'])
  return answer['result']
}

/** What a test says to a server, over any transport. */
export interface Wire {
  request(method: string, params?: Json): Promise<Json>
  /** All messages of a subscription to these tasks, the acknowledgement first, until it ends. */
  listen(taskIds: readonly string[], more?: Json): AsyncGenerator<Json, void>
}

/** Calls a tool that answers with a task, and gives its id. */
export async function createTask(wire: Wire, name: string, args: Json, meta: Json = {}): Promise<string> {
  const handle = await wire.request('tools/call', { name, arguments: args, _meta: meta })
  if (handle['resultType'] !== 'task') throw new Error(`${name} answered with no task but ${JSON.stringify(handle)}`)
  return handle['taskId']
}

/** Waits for pushes until the task is in a state that the test asks for. */
export async function until(wire: Wire, taskId: string, reached: (task: Json) => boolean): Promise<Json> {
  for await (const { method, params } of wire.listen([taskId]))
    if (method === 'notifications/tasks' && reached(params)) return params
  throw new Error('The task ended, or was gone, before it reached that state.')
}

/** Waits until the task is finished. */
export function finished(wire: Wire, taskId: string): Promise<Json> {
  return until(wire, taskId, ({ status }) => ['completed', 'failed', 'cancelled'].includes(status))
}
