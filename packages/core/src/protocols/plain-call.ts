import type { TaskConnection } from '../connection.ts'
import { createFailure, readFailure, type Failure } from '../wire/failure.ts'
import { sendCall } from './call.ts'
import type { Protocol } from './protocol.ts'

const unreadable = () => Promise.reject({ code: -32601, message: 'A plain call has no task to read.' })

/** A call without a task, whatever its answer turns out to be. */
export const call: Protocol = {
  name: 'plain',
  abortable: true,
  async create(connection, given, options) {
    const news = await sendCall(connection, given, options).catch(async (error: unknown) => {
      const failure = readFailure(error)
      throw (failure.answered && (await refuses(connection, given.tool, failure))) || failure
    })
    // Some servers say it as the tool's own failure (AUG-NEG-7).
    const { outcome } = news
    if (outcome?.as === 'failed' && outcome.error.kind === 'tool') {
      const refused = await refuses(connection, given.tool, outcome.error)
      if (refused) throw refused
    }
    return news
  },
  read: unreadable,
  readSnapshot: () => null,
  fetch: unreadable,
  readPayload: () => ({}),
  update: unreadable,
  cancel: unreadable,
}

/** A plain call whose server may answer with a task that nobody asked for (P55): it is followed, by the protocol of this name. */
export const followedCall = (nameFor: (connection: TaskConnection) => string): Protocol => ({
  ...call,
  async create(connection, given, options) {
    const news = await call.create(connection, given, options)
    return news.task?.taskId ? { ...news, protocol: nameFor(connection) } : news
  },
})

/** Whether a call failed because the tool only runs as a task (2025-11-25): by what the tool says of itself, never by a text or a code. */
async function refuses(
  connection: TaskConnection,
  tool: string,
  { message, code, data }: Pick<Failure, 'message' | 'code' | 'data'>,
): Promise<Failure | undefined> {
  if (connection.generation !== '2025-11-25' || !connection.supportsTasks) return undefined
  const support = await connection.taskSupport(tool).catch(() => undefined)
  if (support !== 'required') return undefined
  return createFailure({ sort: 'refused', kind: 'unsupported', retryable: false, answered: true, message, code, data })
}
