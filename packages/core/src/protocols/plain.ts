import { call } from './plain-call.ts'
import type { Protocol, TaskProtocol } from './protocol.ts'

const protocol: Protocol = {
  ...call,
  async create(connection, given, options) {
    const news = await call.create(connection, given, { ...options, asTask: false })
    // Nobody asked for a task, and a plain call has no way to follow one: say so instead of reporting an empty success.
    if (!news.task?.taskId) return news
    const message = 'The server answered a plain call with a task: use a protocol with tasks to follow it.'
    return { task: news.task, outcome: { as: 'failed', error: { kind: 'unsupported', message, task: news.task } } }
  },
}

/**
 * One blocking `tools/call` with progress. Cancelling aborts it, which never proves that the work has stopped. A tool that runs only as a
 * task fails as `unsupported`.
 */
export function plain(): TaskProtocol {
  return protocol
}
