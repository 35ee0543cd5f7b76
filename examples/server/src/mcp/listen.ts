import { SUBSCRIPTION_ID_META_KEY, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server'
import { isObject } from '../json.ts'
import { TaskNotFound } from '../tasks/errors.ts'
import { snapshotsOf } from '../tasks/snapshots.ts'
import type { Parts } from './parts.ts'
import { taskSnapshot } from './task-snapshot.ts'

const MAX_TASK_IDS = 1000

/** The task ids that a `subscriptions/listen` request asks for; `undefined` when it is another request or asks for none. */
export function listenedTaskIds(message: unknown): readonly string[] | undefined {
  if (!isObject(message) || message['method'] !== 'subscriptions/listen' || !isObject(message['params']))
    return undefined
  const filter = message['params']['notifications']
  const ids = isObject(filter) ? filter['taskIds'] : undefined
  if (!Array.isArray(ids)) return undefined
  return ids.filter((id): id is string => typeof id === 'string').slice(0, MAX_TASK_IDS)
}

/**
 * Serves a subscription to tasks, which the SDK's own router does not know: acknowledges what it honours, sends each
 * task as it is and after every change, and ends when nothing more can come or the signal says so.
 */
export async function serveListen(
  { engine, reports, settings }: Parts,
  request: JSONRPCRequest,
  signal: AbortSignal,
  send: (message: JSONRPCMessage) => void,
): Promise<void> {
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: request.id }
  const notify = (method: string, params: object) => send({ jsonrpc: '2.0', method, params: { ...params, _meta } })
  const filter = (request.params?.['notifications'] ?? {}) as { resourcesListChanged?: unknown }
  const resourcesListChanged = filter.resourcesListChanged === true

  const taskIds: string[] = []
  for (const id of new Set(listenedTaskIds(request))) {
    const known = await engine.get(id).catch(() => undefined)
    if (known) taskIds.push(id)
  }
  const honoured = { taskIds, ...(resourcesListChanged && { resourcesListChanged }) }
  notify('notifications/subscriptions/acknowledged', { notifications: honoured })

  const follow = async (id: string) => {
    try {
      for await (const task of snapshotsOf(engine, id, signal))
        notify('notifications/tasks', taskSnapshot(task, settings.pollIntervalMs))
    } catch (error) {
      if (!(error instanceof TaskNotFound)) throw error
    }
  }
  const unwatch = resourcesListChanged
    ? reports.onChange(() => notify('notifications/resources/list_changed', {}))
    : undefined
  try {
    await Promise.all([...taskIds.map(follow), resourcesListChanged ? aborted(signal) : undefined])
  } finally {
    unwatch?.()
  }
  if (!signal.aborted) send({ jsonrpc: '2.0', id: request.id, result: { resultType: 'complete', _meta } })
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
