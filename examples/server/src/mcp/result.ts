import { CallFailed } from '../tasks/errors.ts'
import type { Task, ToolResult } from '../tasks/task.ts'

/** What the call of a finished task would have been answered with. @throws CallFailed where that is an error */
export function resultOf(task: Task): ToolResult {
  if (task.status === 'failed' && task.error) throw new CallFailed(task.error)
  if (!task.result) throw new CallFailed({ code: -32603, message: 'The call was cancelled.' })
  return task.result
}
