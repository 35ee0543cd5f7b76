import type { InspectionObserver, TaskConnection } from '@mcp-task-machine/core'
import { computed, hasInjectionContext, inject, toRaw, type ComputedRef, type InjectionKey } from 'vue'

/** What is provided to descendants. */
export interface TaskContext {
  readonly connection: ComputedRef<TaskConnection>
  readonly inspect?: InspectionObserver | undefined
}

export const taskContext: InjectionKey<TaskContext> = Symbol('mcp-task-machine')

/** What was provided, with the caller's own connection if it has one. @throws TypeError if there is neither */
export function useTaskContext(composable: string, own: () => TaskConnection | undefined): TaskContext {
  const provided = hasInjectionContext() ? inject(taskContext, undefined) : undefined
  if (!provided && !own())
    throw new TypeError(
      `Expected ${composable} to be called below a component that calls provideTasks({ connection }) or provideTasks({ client }), or to be given a \`connection\`.`,
    )
  return { ...provided, connection: computed(() => toRaw(own()) ?? provided!.connection.value) }
}
