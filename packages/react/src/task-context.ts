'use client'

import type { InspectionObserver, TaskConnection } from '@mcp-task-machine/core'
import { createContext, useContext } from 'react'

/** What a provider gives to the tree below it. */
export interface TaskContextValue {
  readonly connection: TaskConnection
  readonly inspect?: InspectionObserver | undefined
}

export const TaskContext = createContext<TaskContextValue | null>(null)

/** The provider's value, with the caller's own connection if it has one. @throws TypeError if there is neither */
export function useTaskContext(hook: string, connection: TaskConnection | undefined): TaskContextValue {
  const value = useContext(TaskContext)
  if (connection) return { ...value, connection }
  if (value) return value
  throw new TypeError(
    `Expected ${hook} to be below a <TaskProvider connection={…}> or <TaskProvider client={…}>, or to be given a \`connection\`.`,
  )
}
