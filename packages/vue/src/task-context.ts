import type { InspectionObserver, Surroundings, TaskConnection } from '@mcp-task-machine/core'
import { hasInjectionContext, inject, toRaw, type ComputedRef, type InjectionKey } from 'vue'

/** What is provided to descendants. */
export interface TaskContext {
  readonly connection: ComputedRef<TaskConnection>
  readonly inspect?: InspectionObserver | undefined
}

export const taskContext: InjectionKey<TaskContext> = Symbol('mcp-task-machine')

/** What was provided, with the caller's own connection if it has one; read anew each time. @throws TypeError if there is neither */
export function useTaskContext(composable: string, own: () => TaskConnection | undefined): () => Surroundings {
  const provided = hasInjectionContext() ? inject(taskContext, undefined) : undefined
  if (!provided && !own())
    throw new TypeError(`Expected ${composable} to be given a \`connection\`, or to be below provideTasks.`)
  return () => ({ ...provided, connection: toRaw(own()) ?? provided!.connection.value })
}
