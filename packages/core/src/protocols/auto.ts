import { readAnswer } from './call.ts'
import { extension } from './extension.ts'
import { plain } from './plain.ts'
import type { Protocol } from './protocol.ts'

const tasks = extension() as Protocol

// A server may answer with a task that nobody asked for (P55): it is followed, not lost.
const call: Protocol = {
  ...(plain() as Protocol),
  readAnswer(raw, server) {
    const news = readAnswer(raw, server)
    return news.task?.taskId ? { ...news, protocol: tasks.name } : news
  },
}

/** Tasks of the generation that the connection speaks, else a plain call: one path for the caller. */
export const auto: Protocol = {
  ...tasks,
  name: 'auto',
  choose: (connection) => (connection.generation === '2026-07-28' && connection.supportsTasks ? tasks : call),
  resolve: (name) => [tasks, call].find((protocol) => protocol.name === name),
}
