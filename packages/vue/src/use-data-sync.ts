import { onDataChange, type DataChange, type TaskConnection } from '@mcp-task-machine/core'
import { toValue, watchPostEffect, type MaybeRefOrGetter } from 'vue'
import { useTaskContext } from './task-context.ts'
import { whenMounted } from './when-mounted.ts'

/**
 * Calls the listener whenever the server says that its data changed: re-read what you show. What a task made shows up here, not in its
 * result. Once per notification, and never for what was said before the component was there.
 *
 * @throws TypeError without a connection
 */
export function useDataSync(
  listener: (change: DataChange) => void,
  options: MaybeRefOrGetter<{ readonly connection?: TaskConnection | undefined }> = {},
): void {
  const { connection } = useTaskContext('useDataSync', () => toValue(options).connection)
  whenMounted(() => watchPostEffect((onCleanup) => onCleanup(onDataChange(connection.value, listener))))
}
