import type { JsonObject } from '../json.ts'
import type { Task } from '../tasks/task.ts'

/** A task's handle in the words of the extension: never a payload, that is read with `tasks/get`. */
export function taskHandle(task: Task, pollIntervalMs: number) {
  return {
    taskId: task.id,
    status: task.status,
    ...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs,
  }
}

/** The whole task: with its result, its error or its open questions. */
export function taskSnapshot(task: Task, pollIntervalMs: number): JsonObject {
  return {
    ...taskHandle(task, pollIntervalMs),
    ...(task.result && { result: { resultType: 'complete', ...task.result } }),
    ...(task.error && { error: task.error }),
    ...(task.status === 'input_required' && { inputRequests: task.inputRequests }),
  }
}
