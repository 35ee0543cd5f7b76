import { isTerminal, type JsonObject, type TaskStatus } from '../task.ts'

interface Kept {
  readonly taskId: unknown
  readonly listener: (progress: JsonObject) => void
}

/** How many answered calls keep their progress token. */
const LIMIT = 1000

/**
 * Progress listeners, by token, that outlive the answer to their call: on 2025-11-25 a token stays good until the task ends (PROG-2).
 * The SDKs forget it, 2.x at the answer, so that what comes later would be an error to them.
 */
export type LateProgress = Map<number, Kept>

export function keep(late: LateProgress, token: number, kept: Kept): void {
  late.set(token, kept)
  const [oldest] = late.keys()
  if (late.size > LIMIT) late.delete(oldest!)
}

/** Looks at a snapshot that goes by for the end of a task, which makes no progress any more (PROG-3). */
export function retire(late: LateProgress, { taskId, status }: JsonObject): void {
  if (late.size && isTerminal(status as TaskStatus))
    for (const [token, kept] of late) if (kept.taskId === taskId) late.delete(token)
}
