import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { CallFailed, TaskNotFound } from '../tasks/errors.ts'
import { snapshotsOf } from '../tasks/snapshots.ts'
import { isFinished, type Task } from '../tasks/task.ts'
import type { Submission } from '../tasks/engine.ts'
import { canBeAsked, missingCapability } from './capabilities.ts'
import type { Parts } from './parts.ts'
import { progressReporter } from './progress.ts'
import { resultOf } from './result.ts'

/**
 * A call by a client that knows no tasks: the work is a task all the same, so that it is bounded and survives,
 * but the request stays open until it is done. Questions go back as `input_required`, with the task in `requestState`.
 */
export async function callPlain(
  { engine }: Parts,
  call: Submission,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const state = ctx.mcpReq.requestState<string>()
  const { task, created } =
    state === undefined ? await engine.submit(call) : { task: await resume(engine, call, state, ctx), created: true }
  const report = progressReporter(ctx.mcpReq._meta?.progressToken, ctx.mcpReq.notify)
  const { signal } = ctx.mcpReq
  for await (const now of snapshotsOf(engine, task.id, signal)) {
    await report(now)
    if (now.status === 'input_required' && !canBeAsked(ctx)) {
      await engine.cancel(task.id)
      throw missingCapability({ elicitation: { form: {} } })
    }
    if (now.status === 'input_required')
      return {
        resultType: 'input_required',
        inputRequests: now.inputRequests,
        requestState: now.id,
      } as InputRequiredResult
    if (isFinished(now)) return resultOf(now) as unknown as CallToolResult
  }
  // The caller has hung up. A call that only joined another's task leaves it alone.
  if (created) await engine.cancel(task.id)
  throw new CallFailed({ code: -32603, message: 'The call was cancelled.' })
}

async function resume(engine: Parts['engine'], call: Submission, id: string, ctx: ServerContext): Promise<Task> {
  const task = await engine.get(id)
  if (task.tool !== call.tool.name) throw new TaskNotFound()
  await engine.answer(id, ctx.mcpReq.inputResponses ?? {})
  return task
}
