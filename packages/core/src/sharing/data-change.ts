import type { TaskConnection } from '../connection.ts'

/** The server's word that its data is no longer what was read. */
export interface DataChange {
  readonly method: 'notifications/resources/list_changed' | 'notifications/resources/updated'
  /** The resource that was updated; `null` when the list has changed. */
  readonly uri: string | null
}

const methods = ['notifications/resources/list_changed', 'notifications/resources/updated'] as const

/**
 * Calls the listener once for each notification, as it comes. Whether the server sends any is the client's affair: see the README.
 *
 * @returns how to stop
 */
export function onDataChange(connection: TaskConnection, listener: (change: DataChange) => void): () => void {
  const stops = methods.map((method) =>
    connection.onNotification(method, ({ uri }) => listener({ method, uri: typeof uri === 'string' ? uri : null })),
  )
  return () => {
    for (const stop of stops) stop()
  }
}
