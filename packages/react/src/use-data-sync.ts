'use client'

import { onDataChange, type DataChange, type TaskConnection } from '@mcp-task-machine/core'
import { useEffect, useInsertionEffect, useRef } from 'react'
import { useTaskContext } from './task-context.ts'

/**
 * Calls the listener whenever the server says that its data changed: re-read what you show. What a task made shows up here, not in its
 * result. Once per notification, and never for what was said before the component was there.
 *
 * @throws TypeError without a connection
 */
export function useDataSync(
  listener: (change: DataChange) => void,
  options: { readonly connection?: TaskConnection | undefined } = {},
): void {
  const { connection } = useTaskContext('useDataSync', options.connection)
  const latest = useRef(listener)
  useInsertionEffect(() => {
    latest.current = listener
  })
  useEffect(() => onDataChange(connection, (change) => latest.current(change)), [connection])
}
