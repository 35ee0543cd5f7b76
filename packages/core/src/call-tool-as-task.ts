import type { TaskConnection } from './connection.ts'
import type { TaskHandle } from './handle.ts'
import type { FireOptions, TaskOptions } from './options.ts'
import { tasksOnly } from './protocols/tasks-only.ts'
import { createTaskRunner } from './runner.ts'
import type { JsonObject } from './task.ts'

/**
 * Calls a tool and follows the task it becomes, without a runner of your own. A call that is answered outright gives a finished handle.
 * Demands tasks: name a `protocol` to do without.
 *
 * @throws HostCapabilityError, with nothing sent, where no task can be had
 * @throws TaskError if the call failed
 */
export async function callToolAsTask<Output = unknown>(
  connection: TaskConnection,
  tool: string,
  args: JsonObject = {},
  options: Partial<TaskOptions<Output>> & FireOptions = {},
): Promise<TaskHandle<Output>> {
  const { signal, ttl, meta, headers, ...rest } = options
  const { protocol = tasksOnly } = rest
  const runner = createTaskRunner<JsonObject, Output>({ ...rest, protocol, connection, tool })
  return runner.fire(args, {
    ...(signal && { signal }),
    ...(ttl !== undefined && { ttl }),
    ...(meta && { meta }),
    ...(headers && { headers }),
  })
}
