import type { Protocol, TaskProtocol } from './protocol.ts'
import { callParams, readAnswer } from './call.ts'

const unreadable = () => Promise.reject({ code: -32601, message: 'A plain call has no task to read.' })

const protocol: Protocol = {
  name: 'plain',
  abortable: true,
  callParams,
  readAnswer(raw, server) {
    const news = readAnswer(raw, server)
    // Nobody asked for a task, and a plain call has no way to follow one: say so instead of reporting an empty success.
    if (!news.task?.taskId) return news
    const message = 'The server answered a plain call with a task: use a protocol with tasks to follow it.'
    return { task: news.task, outcome: { as: 'failed', error: { kind: 'unsupported', message, task: news.task } } }
  },
  read: unreadable,
  readSnapshot: () => null,
  settle: unreadable,
  update: unreadable,
  cancel: unreadable,
}

/** One blocking `tools/call` with progress. Cancelling aborts it, which never proves that the work has stopped. */
export function plain(): TaskProtocol {
  return protocol
}
