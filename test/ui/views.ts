import { idleView, TaskError, type TaskErrorKind, type TaskView } from '@mcp-task-machine/core'

/** A view that shows nothing but this. */
export const view = (over: Partial<TaskView>): TaskView => ({ ...idleView, isIdle: false, ...over })

export const problem = (kind: TaskErrorKind, message = 'The calendar hung up.') => new TaskError({ kind, message })
