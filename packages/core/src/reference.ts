import { expected } from './options.ts'

/** What survives the process: plain JSON, versioned, bound to its endpoint. Hold it like a password: whoever has the id may read the task (SEC-1). */
export interface TaskReference {
  readonly version: 1
  readonly protocol: string
  readonly endpoint: string
  readonly tool: string
  /** `null`: submitted, and the answer was never seen. */
  readonly taskId: string | null
  readonly [key: string]: unknown
}

/** Whether both stand for the same one, or neither for anybody. */
export const isSamePrincipal = (one: unknown, other: unknown): boolean => (one ?? null) === (other ?? null)

/** @throws TypeError if this is no reference, or one of another version, endpoint or principal */
export function checkReference(
  reference: unknown,
  endpoint: string,
  principal?: string,
): asserts reference is TaskReference {
  const { version, taskId, ...rest } = (reference ?? {}) as Partial<TaskReference>
  expected(version === 1, 'a TaskReference of version 1, as `runner.reference`, `reset()` or `onOrphan` gave it')
  expected(
    typeof rest.protocol === 'string' && typeof rest.tool === 'string',
    'a TaskReference with its `protocol` and `tool`',
  )
  expected(
    taskId === null || (typeof taskId === 'string' && taskId !== ''),
    'a TaskReference whose `taskId` is a string or null',
  )
  expected(rest.endpoint === endpoint, 'a TaskReference of the same endpoint as the connection')
  expected(isSamePrincipal(rest['principal'], principal), 'a TaskReference of the same principal as the connection')
}
