import { CallRefused } from '../../tasks/errors.ts'
import type { Place } from '../../tasks/store.ts'
import type { Task } from '../../tasks/task.ts'

/** The cursor of the page after this task. */
export function cursorOf({ createdAt, id }: Task): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url')
}

/** Where a cursor points. @throws CallRefused when it is none of ours */
export function placeOf(cursor: string): Place {
  try {
    const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    // An invalid date throws.
    if (typeof createdAt === 'string' && typeof id === 'string') return [new Date(createdAt).toISOString(), id]
  } catch {}
  throw new CallRefused('bad_cursor', 'The cursor is not one that this server has given.')
}
