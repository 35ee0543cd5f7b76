import { onDataChange, type DataChange, type TaskConnection } from '@mcp-task-machine/core'
import { toValue, type MaybeRefOrGetter } from 'vue'
import { follow } from './follow.ts'
import { useTaskContext } from './task-context.ts'

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
  const context = useTaskContext('useDataSync', () => toValue(options).connection)
  follow(() => onDataChange(context().connection, listener))
}
