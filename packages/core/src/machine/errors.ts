import type { TaskConnection } from '../connection.ts'
import type { ErrorRecord } from '../errors.ts'
import type { TaskContext } from './context.ts'

/** How a cancelled run reads: in the server's words where there are some. */
export function cancelError(
  { refusedInput, task }: TaskContext,
  message = task?.statusMessage ?? 'The call was cancelled.',
): ErrorRecord {
  return refusedInput
    ? {
        kind: 'input-required',
        message: 'The server asked for input, which this caller does not give: the run was cancelled.',
      }
    : { kind: 'cancelled', message }
}

/** Says where else the task of a lost call may be found, where the server has such a place. */
export const offerList = (error: ErrorRecord, { listsTasks }: TaskConnection): ErrorRecord =>
  error.kind === 'lost' && listsTasks
    ? { ...error, message: `${error.message} This server lists its tasks: \`listTasks\` may show it.` }
    : error

/** What a run remembers when nobody can say whether its call was carried out. */
export const lost = (connection: TaskConnection): Partial<TaskContext> => ({
  error: offerList(
    {
      kind: 'lost',
      message: 'The answer to the call was never seen: whether a task exists is unknown. It was not sent again.',
    },
    connection,
  ),
  backingOff: false,
  asked: [],
})
