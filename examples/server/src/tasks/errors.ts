import type { RpcError } from './task.ts'

/** A request that is refused for what it says. */
export class CallRefused extends Error {
  readonly reason: 'unknown_tool' | 'bad_arguments' | 'idempotency_key_reused' | 'bad_answer' | 'bad_cursor'
  constructor(reason: CallRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Too many tasks are waiting already. */
export class Overloaded extends Error {
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('The server is busy: too many tasks are waiting for a worker. Try again later.')
    this.retryAfterMs = retryAfterMs
  }
}

/** No task has this id: it never existed, or its time to live has passed. */
export class TaskNotFound extends Error {
  constructor() {
    super('Task not found: the id is unknown or the task has expired.')
  }
}

/** A finished task stays what it is. */
export class TaskFinished extends Error {
  constructor() {
    super('The task is finished already.')
  }
}

/** Thrown by a tool whose call fails as a JSON-RPC error, not as a result with `isError`. */
export class CallFailed extends Error {
  readonly error: RpcError
  constructor(error: RpcError) {
    super(error.message)
    this.error = error
  }
}

/** Why a run ends without an outcome of its own. */
export class RunEnded extends Error {
  readonly reason: 'cancelled' | 'waiting' | 'stopping' | 'lost'
  constructor(reason: RunEnded['reason']) {
    super(`The run ended: ${reason}.`)
    this.reason = reason
  }
}
