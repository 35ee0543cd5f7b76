import type { AnyActorRef } from 'xstate'
import type { TaskConnection } from '../connection.ts'
import { clampInterval } from '../connection/delay.ts'
import { hubOf } from '../connection/hub.ts'
import type { Submission } from '../connection/submission.ts'
import { expected, type Settings } from '../options.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { auto } from '../protocols/auto.ts'
import { checkReference, type TaskReference } from '../reference.ts'
import type { TaskContext } from './context.ts'

/** What the chart needs and JSON can't hold: how to reach the server, and which create call is out. One per actor. */
export interface Runtime {
  readonly settings: Settings
  /** The connection in use now; `useConnection` puts another one here. */
  connection: TaskConnection
  /** The newest run whose create call this process made. */
  owned: number
  /** Writes the reference down, before anything else is sent (EXT-CREATE-4). */
  keep?: (() => void) | undefined
  submission: Submission | null
  /** Prompts that the caller's `onInputRequired` was given, of one run. */
  asked: { readonly epoch: number; readonly prompts: Set<unknown> }
}

/** Finds the runtime of a machine's actor. */
export type RuntimeOf = (machine: AnyActorRef) => Runtime

export function createRuntime(settings: Settings): Runtime {
  return {
    settings,
    connection: settings.connection,
    owned: 0,
    submission: null,
    asked: { epoch: 0, prompts: new Set() },
  }
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
  context: Pick<
    TaskContext,
    'protocol' | 'task' | 'receivedAt' | 'seenAt' | 'cancelRequested' | 'session' | 'principal'
  >,
): TaskReference {
  const { settings, connection } = runtime
  const { protocol, task, receivedAt, seenAt, cancelRequested, session } = context
  // What an earlier release did not remember is that of the connection.
  const principal = context.principal ?? connection.principal ?? null
  const taskId = task?.taskId ?? null
  const reader = taskId === null ? undefined : hubOf(connection).find(taskId)
  const nextReadAt = reader?.nextRead ?? (seenAt ?? 0) + clampInterval(task?.pollInterval, settings)
  return {
    version: 1,
    protocol: protocol ?? configuredProtocol(runtime).name,
    endpoint: connection.endpoint,
    tool: settings.tool,
    taskId,
    receivedAt,
    ttl: task?.ttl ?? null,
    pollInterval: task?.pollInterval ?? null,
    cancelRequested,
    ...(principal !== null && { principal }),
    ...(session !== null && { session }),
    ...(taskId !== null && { nextReadAt }),
  }
}

/** @throws TypeError if this is no reference to a task that may be gone on with here */
export function assertResumable(runtime: Runtime, reference: unknown): asserts reference is TaskReference {
  const { connection, settings } = runtime
  checkReference(reference, connection.endpoint, connection.principal)
  const { name, resolve } = configuredProtocol(runtime)
  const isKnown = reference.protocol === name || resolve?.(reference.protocol, connection) !== undefined
  expected(isKnown, `a TaskReference of a protocol that this runner speaks (${name})`)
  expected(reference.tool === settings.tool, 'a TaskReference of the same tool as this runner')
}
