import type { ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../json.ts'
import { snapshotsOf } from '../../tasks/snapshots.ts'
import { isFinished, type Task } from '../../tasks/task.ts'
import { canBeAsked, Questions } from './questions.ts'
import type { Session } from './session.ts'

/** How a request waits for a task. */
export interface Waiting {
  readonly ctx: ServerContext
  /** The `_meta` of the questions. */
  readonly meta?: JsonObject
  /** Sees each state before the last. */
  readonly look?: (task: Task) => Promise<void>
}

/** Waits until a task is finished and puts its questions to the client meanwhile. `undefined` when the client has cancelled or left. */
export async function waitFor({ parts, server }: Session, id: string, waiting: Waiting): Promise<Task | undefined> {
  const { ctx, meta, look } = waiting
  const questions = new Questions(parts.engine, id, ctx, meta)
  try {
    for await (const task of snapshotsOf(parts.engine, id, ctx.mcpReq.signal)) {
      if (isFinished(task)) return task
      await look?.(task)
      if (canBeAsked(server)) questions.show(task.inputRequests ?? {})
    }
    return undefined
  } finally {
    questions.show({})
  }
}
