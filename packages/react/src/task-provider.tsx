'use client'

import type { InspectionObserver, TaskConnection } from '@mcp-task-machine/core'
import { fromClient, type McpClient } from '@mcp-task-machine/core/mcp'
import { useMemo, type ReactNode } from 'react'
import { TaskContext } from './task-context.ts'

/** Either a connection, or an MCP SDK client of which `fromClient` makes one. */
export type TaskProviderProps = {
  /** Watches the charts of all tasks below; read when a task is first rendered. */
  readonly inspect?: InspectionObserver | undefined
  readonly children?: ReactNode
} & (
  | { readonly connection: TaskConnection; readonly client?: undefined }
  | { readonly client: McpClient; readonly connection?: undefined }
)

/**
 * Gives the tasks below it their connection. Another connection to the same endpoint is gone on with; one to another endpoint begins anew.
 *
 * @throws TypeError if it is given neither a connection nor a client
 */
export function TaskProvider({ connection: given, client, inspect, children }: TaskProviderProps): ReactNode {
  const connection = given ?? (client && fromClient(client))
  if (!connection) throw new TypeError('Expected <TaskProvider> to be given a `connection` or a `client`.')
  const value = useMemo(() => ({ connection, inspect }), [connection, inspect])
  return <TaskContext.Provider value={value}>{children}</TaskContext.Provider>
}
