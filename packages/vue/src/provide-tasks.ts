import type { InspectionObserver, TaskConnection } from '@mcp-task-machine/core'
import { fromClient, type McpClient } from '@mcp-task-machine/core/mcp'
import { computed, provide, toRaw, toValue, type MaybeRefOrGetter } from 'vue'
import { taskContext } from './task-context.ts'

/** Either a connection, or an MCP SDK client of which `fromClient` makes one; as a ref or a getter where it may change. */
export type ProvideTasksOptions = {
  /** Watches the charts of all tasks below; read when a task is set up. */
  readonly inspect?: InspectionObserver | undefined
} & (
  | { readonly connection: MaybeRefOrGetter<TaskConnection>; readonly client?: undefined }
  | { readonly client: MaybeRefOrGetter<McpClient>; readonly connection?: undefined }
)

/**
 * Gives the tasks of this component's descendants their connection. Another connection to the same endpoint is gone on with; one to another
 * endpoint begins anew.
 *
 * @throws TypeError if it is given neither a connection nor a client
 */
export function provideTasks({ connection: given, client, inspect }: ProvideTasksOptions): void {
  if (!given && !client) throw new TypeError('Expected provideTasks to be given a `connection` or a `client`.')
  // Raw: what an app keeps in a ref comes as a proxy, whose private fields nobody can reach.
  const connection = computed(() => (given ? toRaw(toValue(given)) : fromClient(toRaw(toValue(client!)))))
  provide(taskContext, { connection, inspect })
}
