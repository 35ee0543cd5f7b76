import type { ProgressToken } from '@modelcontextprotocol/server'
import { TaskNotFound } from '../../tasks/errors.ts'
import { snapshotsOf } from '../../tasks/snapshots.ts'
import { isFinished, type Task } from '../../tasks/task.ts'
import { progressReporter } from '../progress.ts'
import { canBeAsked, NOBODY_TO_ASK } from './questions.ts'
import type { Session } from './session.ts'
import { relatedTask, taskState } from './task-words.ts'

/** What is known of a call that became a task. */
interface Call {
  /** Whether the call made the task, rather than join it by its idempotency key. */
  readonly created: boolean
  readonly progressToken: ProgressToken | undefined
}

/** Tells the client of a task what becomes of it, without being asked, until it is finished or the session ends. */
export function follow(session: Session, task: Task, call: Call): void {
  tell(session, task, call).catch((error: Error) => {
    // Expired, or the session ended in the middle of a message.
    if (!(error instanceof TaskNotFound) && !session.signal.aborted) session.log(`session: ${error.message}`)
  })
}

async function tell({ parts, server, signal }: Session, task: Task, { created, progressToken }: Call): Promise<void> {
  const { engine, settings } = parts
  const report = progressReporter(progressToken, (message) => server.notification(message), relatedTask(task.id))
  let told = task
  for await (const now of snapshotsOf(engine, task.id, signal)) {
    if (!isFinished(now)) await report(now)
    if (now.status !== told.status || now.statusMessage !== told.statusMessage) {
      const params = taskState(now, settings.pollIntervalMs)
      await server.notification({ method: 'notifications/tasks/status', params })
      told = now
    }
    if (created && now.status === 'input_required' && !canBeAsked(server))
      await engine.failWaiting(now.id, NOBODY_TO_ASK)
  }
}
