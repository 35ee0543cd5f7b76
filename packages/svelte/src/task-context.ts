import type { InspectionObserver, TaskConnection } from '@mcp-task-machine/core'
import { getContext } from 'svelte'

/** What descendants find. */
export interface TaskContext {
  readonly connection: TaskConnection
  readonly inspect?: InspectionObserver | undefined
}

export const contextKey = Symbol('mcp-task-machine')

/** A value, or a function that gives it where it may change. */
export type MaybeGetter<Value> = Value | (() => Value)

export function read<Value>(given: MaybeGetter<Value>): Value {
  return typeof given === 'function' ? (given as () => Value)() : given
}

/** What was set, with the caller's own connection if it has one; read anew each time. @throws TypeError if there is neither */
export function findTaskContext(name: string, own: () => TaskConnection | undefined): () => TaskContext {
  const found = contextOfComponent()
  if (!found && !own())
    throw new TypeError(
      `Expected ${name} to be called below a component that calls setTaskContext({ connection }) or setTaskContext({ client }), or to be given a \`connection\`.`,
    )
  return () => {
    const connection = own()
    return connection ? { inspect: found?.inspect, connection } : found!
  }
}

function contextOfComponent(): TaskContext | undefined {
  try {
    return getContext<TaskContext | undefined>(contextKey)
  } catch {
    // Svelte throws outside of components, where nothing can have been set.
    return undefined
  }
}
