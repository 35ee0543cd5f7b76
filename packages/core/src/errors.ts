import type { JsonObject, Task } from './task.ts'

/** What kind of trouble: branch on this, never on the message. */
export type TaskErrorKind =
  /** The work, or the server's word about it. */
  | 'tool'
  | 'protocol'
  | 'malformed'
  /** Ended otherwise. */
  | 'cancelled'
  | 'expired'
  /** We stopped reading; the work may go on and can be resumed. */
  | 'unreachable'
  | 'unauthorized'
  | 'timeout'
  /** The create call: whether a task exists is unknown, or nothing ever left. */
  | 'lost'
  | 'not-sent'
  /** Capability or policy. */
  | 'unsupported'
  | 'input-required'
  /** Replaced, reset or disposed. */
  | 'superseded'

/** A {@link TaskError} as plain JSON: what the chart keeps, since an `Error` does not survive `JSON.stringify`. */
export interface ErrorRecord {
  readonly kind: TaskErrorKind
  readonly message: string
  readonly code?: number | undefined
  readonly data?: unknown
  readonly task?: Task | undefined
  readonly retryable?: boolean | undefined
}

const brand = Symbol.for('@mcp-task-machine/TaskError')

/** Why a run did not give a result. The message is the server's text where there is one; it never holds a task id, an argument or an answer of ours. */
export class TaskError extends Error {
  readonly kind: TaskErrorKind
  /** The JSON-RPC code, where a server answered with one. */
  readonly code?: number | undefined
  /** The JSON-RPC error's `data`. */
  readonly data?: unknown
  /** The newest snapshot of the task at that moment. */
  readonly task?: Task | undefined
  /** Whether trying again can help without a change by the caller. */
  readonly retryable: boolean

  constructor(record: ErrorRecord) {
    super(record.message)
    this.name = new.target.name
    this.kind = record.kind
    this.code = record.code
    this.data = record.data
    this.task = record.task
    this.retryable = record.retryable ?? false
    Object.defineProperty(this, brand, { value: true })
  }

  /** The plain record. Holds the task's snapshot, its id included: log it with care. */
  toJSON(): JsonObject {
    const { kind, message, code, data, task, retryable } = this
    return { kind, message, code, data, task, retryable }
  }

  /** Whether a value is a `TaskError`, also one of another copy of this package. */
  static is(value: unknown): value is TaskError {
    return value instanceof Error && brand in value
  }
}

/** A task was demanded where none can be had: `kind` is `unsupported`, and nothing was sent. */
export class HostCapabilityError extends TaskError {}
