import type { ProgressToken } from '@modelcontextprotocol/server'
import type { JsonObject } from '../json.ts'
import type { Task } from '../tasks/task.ts'

/** Reports the progress of a task under the token of its call, as long as it rises. Without a token it reports nothing. */
export function progressReporter(
  progressToken: ProgressToken | undefined,
  notify: (notification: { method: string; params: JsonObject }) => Promise<void>,
  _meta?: JsonObject,
): (task: Task) => Promise<void> {
  let last = -Infinity
  return async ({ progress, total, statusMessage }) => {
    if (progressToken === undefined || progress === null || progress <= last) return
    last = progress
    const params = {
      progressToken,
      progress,
      ...(total !== null && { total }),
      ...(statusMessage !== null && { message: statusMessage }),
      ...(_meta && { _meta }),
    }
    await notify({ method: 'notifications/progress', params })
  }
}
