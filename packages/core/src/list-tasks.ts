import type { TaskConnection } from './connection.ts'
import { HostCapabilityError, TaskError } from './errors.ts'
import { expected } from './options.ts'
import type { JsonObject, Task } from './task.ts'
import { createFailure, readFailure } from './wire/failure.ts'
import { isObject } from './wire/json.ts'
import { malformedError } from './wire/result.ts'
import { readTask } from './wire/task.ts'

/**
 * Lists one page of the server's tasks (2025-11-25 only: the extension has no list, EXT-LIST-1). A listed task names neither its tool nor
 * its arguments, and may be another caller's (AUG-LIST-2).
 *
 * @param cursor `nextCursor` of the page before; it is the server's own word, and no longer good in another session
 * @throws HostCapabilityError, with nothing sent, where tasks are not listed
 * @throws TaskError if the server refuses or cannot be reached
 */
export async function listTasks(
  connection: TaskConnection,
  cursor?: string,
): Promise<{ tasks: readonly Task[]; nextCursor?: string }> {
  expected(cursor === undefined || typeof cursor === 'string', '`cursor` to be the `nextCursor` of an earlier page')
  const mayList = connection.generation === '2025-11-25' && connection.supportsTasks
  if (!(connection.listsTasks ?? mayList))
    throw new HostCapabilityError({
      kind: 'unsupported',
      message: 'This server does not list tasks: only some of 2025-11-25 do. Nothing was sent.',
    })
  try {
    const page = await connection.request('tasks/list', cursor === undefined ? {} : { cursor })
    const { tasks, nextCursor } = isObject(page) ? page : ({} as JsonObject)
    if (!Array.isArray(tasks))
      throw createFailure({ ...malformedError('a list of tasks', page), sort: 'malformed', retryable: false })
    return {
      tasks: tasks.map(readTask).filter((task) => task !== null),
      ...(typeof nextCursor === 'string' && { nextCursor }),
    }
  } catch (error) {
    const { kind, sort, code, message, data, retryable } = readFailure(error)
    if (code === -32601 || kind === 'unsupported') throw new HostCapabilityError({ kind: 'unsupported', message, code })
    // A cursor that is good no more, not a task.
    throw new TaskError({ kind: sort === 'gone' ? 'protocol' : kind, message, code, data, retryable })
  }
}
