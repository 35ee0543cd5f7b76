import type { AnyActorRef } from 'xstate'
import type { TaskConnection } from '../connection.ts'
import type { Submission } from '../connection/submission.ts'
import type { Settings } from '../options.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { auto } from '../protocols/auto.ts'
import type { TaskReference } from '../reference.ts'
import type { TaskContext } from './context.ts'

/** What the chart needs and JSON can't hold: how to reach the server, and which create call is out. One per actor. */
export interface Runtime {
  readonly settings: Settings
  /** The connection in use now; `useConnection` puts another one here. */
  connection: TaskConnection
  /** The newest run whose create call this process made. */
  owned: number
  submission: Submission | null
}

/** Finds the runtime of a machine's actor. */
export type RuntimeOf = (machine: AnyActorRef) => Runtime

export function createRuntime(settings: Settings): Runtime {
  return { settings, connection: settings.connection, owned: 0, submission: null }
}

/** The protocol the caller asked for. */
export function configuredProtocol({ settings: { protocol } }: Runtime): Protocol {
  return protocol === undefined || protocol === 'auto' ? auto : (protocol as Protocol)
}

/** The protocol that answered the create call, or the one a reference names; for an adopted task the one its connection speaks. */
export function activeProtocol(runtime: Runtime, name: string | null): Protocol {
  const configured = configuredProtocol(runtime)
  return configured.resolve?.(name, runtime.connection) ?? configured
}

/** What to keep of a run to find its task again. */
export function toReference(
  runtime: Runtime,
  context: Pick<TaskContext, 'protocol' | 'task' | 'receivedAt' | 'cancelRequested'>,
): TaskReference {
  const { settings, connection } = runtime
  const { protocol, task, receivedAt, cancelRequested } = context
  return {
    version: 1,
    protocol: protocol ?? configuredProtocol(runtime).name,
    endpoint: connection.endpoint,
    tool: settings.tool,
    taskId: task?.taskId ?? null,
    receivedAt,
    ttl: task?.ttl ?? null,
    pollInterval: task?.pollInterval ?? null,
    cancelRequested,
  }
}
