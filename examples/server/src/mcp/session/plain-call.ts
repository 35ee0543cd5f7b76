import type { Result, ServerContext } from '@modelcontextprotocol/server'
import type { Submission } from '../../tasks/engine.ts'
import { CallFailed } from '../../tasks/errors.ts'
import { progressReporter } from '../progress.ts'
import { resultOf } from '../result.ts'
import { canBeAsked, NOBODY_TO_ASK } from './questions.ts'
import type { Session } from './session.ts'
import { waitFor } from './wait.ts'

/** A call that stays open until its work is done. Its questions and its progress go out on its stream. */
export async function callPlain(session: Session, call: Submission, ctx: ServerContext): Promise<Result> {
  const { engine } = session.parts
  const { signal } = ctx.mcpReq
  const { task, created } = await engine.submit(call)
  const report = progressReporter(ctx.mcpReq._meta?.progressToken, ctx.mcpReq.notify)
  try {
    const last = await waitFor(session, task.id, {
      ctx,
      async look(now) {
        await report(now)
        if (created && now.status === 'input_required' && !canBeAsked(session.server))
          await engine.failWaiting(now.id, NOBODY_TO_ASK)
      },
    })
    if (!last) throw new CallFailed({ code: -32603, message: 'The call was cancelled.' })
    return { ...resultOf(last) }
  } finally {
    // The caller has hung up. A call that only joined another's task leaves it alone.
    if (created && signal.aborted) await engine.cancel(task.id)
  }
}
