import type { TaskConnection } from '../connection.ts'
import { augmentedTasks, choose } from './augmented.ts'
import { extension } from './extension.ts'
import { followedCall } from './plain-call.ts'
import type { Protocol } from './protocol.ts'

const tasks = extension() as Protocol

/** A call where there are no tasks. */
export const call = followedCall((connection) => taskProtocol(connection).name)

const taskProtocol = ({ generation, supportsTasks }: Pick<TaskConnection, 'generation' | 'supportsTasks'>) =>
  generation === '2025-11-25' && supportsTasks ? augmentedTasks : tasks

/** Tasks of the generation that the connection speaks, else a plain call: one path for the caller. */
export const auto: Protocol = {
  ...tasks,
  name: 'auto',
  choose(connection, given) {
    const { generation, supportsTasks } = connection
    if (!supportsTasks) return call
    if (generation === '2026-07-28') return tasks
    return choose(connection, given).then((chosen) => chosen ?? call)
  },
  resolve: (name, connection) =>
    name === null ? taskProtocol(connection) : [tasks, augmentedTasks, call].find((protocol) => protocol.name === name),
}
