import type { TaskConnection } from '../connection.ts'
import type { Link } from './link.ts'
import { mark } from './mark.ts'

/**
 * Asks for pushes about tasks (2026-07-28, `subscriptions/listen`, EXT-NOTIF-1). Whether they come is never known: the SDK drops the
 * ids from what the server acknowledged, so a failure is no more than silence. Stopping ends the subscription, never a task.
 */
export function createListen(link: Link): NonNullable<TaskConnection['listen']> {
  return (taskIds, onEnd) => {
    const controller = new AbortController()
    link.tap()
    const filter = mark({ taskIds }, { method: 'subscriptions/listen', outlives: false, sent: false })
    const subscribed = link.client.listen?.(filter, { signal: controller.signal })
    const ended = () => {
      if (!controller.signal.aborted) onEnd?.()
    }
    subscribed?.then(({ closed }) => closed).then(ended, ended)
    return () => controller.abort()
  }
}
