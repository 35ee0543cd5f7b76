import type { InspectionObserver, TaskConnection } from '@mcp-task-machine/core'
import { fromClient, type McpClient } from '@mcp-task-machine/core/mcp'
import { setContext } from 'svelte'
import { contextKey, type TaskContext } from './task-context.ts'

/** Either a connection, or an MCP SDK client of which `fromClient` makes one; as a getter where it may change. */
export type SetTaskContextOptions = {
  /** Watches the charts of all tasks below; read when a task is set up. */
  readonly inspect?: InspectionObserver | undefined
} & (
  | { readonly connection: TaskConnection; readonly client?: undefined }
  | { readonly client: McpClient; readonly connection?: undefined }
)

/**
 * Gives the tasks of this component's descendants their connection. Another connection to the same endpoint is gone on with; one to another
 * endpoint begins anew.
 *
 * @example
 * setTaskContext({ get connection() { return connection } })
 * @throws TypeError if it is given neither a connection nor a client
 */
export function setTaskContext(options: SetTaskContextOptions): void {
  if (!options.connection && !options.client)
    throw new TypeError('Expected setTaskContext to be given a `connection` or a `client`.')
  setContext<TaskContext>(contextKey, {
    get connection() {
      return options.connection ?? fromClient(options.client!)
    },
    get inspect() {
      return options.inspect
    },
  })
}
