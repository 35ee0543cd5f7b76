import { auto, call } from './auto.ts'
import { noTasks } from './call.ts'
import type { Protocol } from './protocol.ts'

/** `auto` for callers who demand a task: no tool is called where none can be had. */
export const tasksOnly: Protocol = {
  ...auto,
  async choose(connection, given) {
    const chosen = await auto.choose!(connection, given)
    if (chosen !== call) return chosen
    throw noTasks('This connection, or this tool, has no tasks: see `supportsTasks`.')
  },
}
