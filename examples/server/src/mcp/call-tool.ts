import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../json.ts'
import type { Submission } from '../tasks/engine.ts'
import { workOutright } from '../tasks/work.ts'
import { assertAnswers } from '../tools/validate.ts'
import { declaresTasks, requireTasks } from './capabilities.ts'
import { withRpcErrors } from './errors.ts'
import type { Parts } from './parts.ts'
import { callPlain } from './plain-call.ts'
import { taskHandle } from './task-snapshot.ts'
import { findTool, idempotencyKeyOf, listedTool } from './tool-calls.ts'

/** `tools/list` and `tools/call` of MCP 2026-07-28: checks a call and chooses how it is served. */
export function addTools(server: Server, parts: Parts): void {
  const tools = [...parts.tools.values()].map(listedTool)
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    withRpcErrors(() => callTool(parts, params.name, params.arguments ?? {}, ctx)),
  )
}

async function callTool(
  parts: Parts,
  name: string,
  args: JsonObject,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = findTool(parts, name, args)
  if (tool.taskSupport === 'required') requireTasks(ctx)

  const answers = assertAnswers(tool.askFirst ?? {}, ctx.mcpReq.inputResponses ?? {})
  const unasked = Object.entries(tool.askFirst ?? {}).filter(([key]) => !answers[key])
  if (unasked.length > 0)
    return { resultType: 'input_required', inputRequests: Object.fromEntries(unasked) } as InputRequiredResult

  const call: Submission = { tool, args, answers, idempotencyKey: idempotencyKeyOf(args, ctx.mcpReq._meta) }
  if (tool.begin) return (await tool.begin(call)) as unknown as CallToolResult
  if (tool.taskSupport === 'forbidden' || tool.isSmall?.(args))
    return (await tool.run(workOutright(args, answers, ctx.mcpReq.signal))) as unknown as CallToolResult
  if (!declaresTasks(ctx)) return callPlain(parts, call, ctx)
  const { task } = await parts.engine.submit(call)
  return { resultType: 'task', ...taskHandle(task, parts.settings.pollIntervalMs) } as unknown as CallToolResult
}
