import { fromJsonSchema, ProtocolError, type Result, type ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../json.ts'
import type { Submission } from '../../tasks/engine.ts'
import { CallRefused } from '../../tasks/errors.ts'
import { workOutright } from '../../tasks/work.ts'
import type { Tool } from '../../tools/tool.ts'
import { withRpcErrors } from '../errors.ts'
import { findTool, idempotencyKeyOf, listedTool } from '../tool-calls.ts'
import { CODES } from '../words.ts'
import { follow } from './follow.ts'
import { callPlain } from './plain-call.ts'
import type { Session } from './session.ts'
import { createdTask } from './task-words.ts'

interface CallParams {
  readonly name: string
  readonly arguments?: JsonObject
  /** Makes the call a task. */
  readonly task?: { readonly ttl?: number | null }
}

const callParams = fromJsonSchema<CallParams>({
  type: 'object',
  properties: {
    name: { type: 'string' },
    arguments: { type: 'object' },
    task: { type: 'object', properties: { ttl: { type: ['number', 'null'], minimum: 0 } } },
  },
  required: ['name'],
})

/** `tools/list` and `tools/call` of MCP 2025-11-25: there the client says which call is to be a task. */
export function addTools(session: Session): void {
  const { server, parts } = session
  const tools = [...parts.tools.values()].map((tool) => ({
    ...listedTool(tool),
    // Absent means forbidden.
    ...(tool.taskSupport !== 'forbidden' && { execution: { taskSupport: tool.taskSupport } }),
  }))
  server.setRequestHandler('tools/list', () => ({ tools }))
  // A handler of its own would do for `tools/call` if the SDK did not refuse to send a handle as its result.
  server.fallbackRequestHandler = (request, ctx) =>
    withRpcErrors(async () => {
      if (request.method !== 'tools/call') throw new ProtocolError(CODES.methodNotFound, 'Method not found')
      const checked = await callParams['~standard'].validate(request.params)
      if (checked.issues) throw new CallRefused('bad_arguments', `Invalid call: ${checked.issues[0]?.message}`)
      return callTool(session, checked.value, ctx)
    })
}

async function callTool(session: Session, params: CallParams, ctx: ServerContext): Promise<Result> {
  const { engine, settings } = session.parts
  const { arguments: args = {}, task: wish } = params
  const tool = findTool(session.parts, params.name, args)
  assertSupported(tool, wish !== undefined)
  const meta = ctx.mcpReq._meta
  const call: Submission = { tool, args, answers: {}, idempotencyKey: idempotencyKeyOf(args, meta) }
  if (tool.begin) return { ...(await tool.begin(call)) }
  if (tool.taskSupport === 'forbidden' || (!wish && tool.isSmall?.(args)))
    return { ...(await tool.run(workOutright(args, {}, ctx.mcpReq.signal))) }
  if (!wish) return callPlain(session, call, ctx)
  const submission = { ...call, askedTtlMs: wish.ttl ?? undefined, listedFor: session.list }
  const { task, created } = await engine.submit(submission)
  follow(session, task, { created, progressToken: meta?.progressToken })
  return createdTask(task, settings.pollIntervalMs, tool.interim?.(args))
}

function assertSupported({ name, taskSupport }: Tool, asTask: boolean): void {
  if (taskSupport === (asTask ? 'forbidden' : 'required'))
    throw new ProtocolError(
      CODES.methodNotFound,
      `The tool ${name} ${asTask ? 'cannot' : 'can only'} be called as a task.`,
    )
}
