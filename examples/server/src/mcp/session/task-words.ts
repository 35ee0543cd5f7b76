import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/server'
import type { Task } from '../../tasks/task.ts'
import { IMMEDIATE_RESPONSE } from '../words.ts'

/** A task in the words of 2025-11-25: never a payload, that is read with `tasks/result`. */
export function taskState(task: Task, pollInterval: number) {
  return {
    taskId: task.id,
    // This generation counts a tool's error result as a failure of the task.
    status: task.result?.isError ? ('failed' as const) : task.status,
    ...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttl: task.ttlMs,
    pollInterval,
  }
}

/** The answer to a call that has become a task, with what a model may say at once. */
export function createdTask(task: Task, pollInterval: number, interim: string | undefined) {
  return {
    task: taskState(task, pollInterval),
    ...(interim !== undefined && { _meta: { [IMMEDIATE_RESPONSE]: interim } }),
  }
}

/** The `_meta` of a message that belongs to a task. */
export function relatedTask(taskId: string) {
  return { [RELATED_TASK_META_KEY]: { taskId } }
}
