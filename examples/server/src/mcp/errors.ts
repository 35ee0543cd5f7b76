import { ProtocolError } from '@modelcontextprotocol/server'
import { CallFailed, CallRefused, Overloaded, TaskFinished, TaskNotFound } from '../tasks/errors.ts'
import { CODES } from './words.ts'

/** Runs a handler and gives its errors their JSON-RPC codes. */
export async function withRpcErrors<T>(handle: () => T | Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (error) {
    throw toRpcError(error)
  }
}

/** The error a client receives: what it did wrong by the code of its own, everything else as an internal error. */
export function toRpcError(error: unknown): unknown {
  if (error instanceof CallRefused)
    return new ProtocolError(CODES.invalidParams, error.message, { reason: error.reason })
  if (error instanceof TaskNotFound || error instanceof TaskFinished)
    return new ProtocolError(CODES.invalidParams, error.message)
  if (error instanceof Overloaded)
    return new ProtocolError(CODES.internalError, error.message, {
      reason: 'overloaded',
      retryAfterMs: error.retryAfterMs,
    })
  if (error instanceof CallFailed) return new ProtocolError(error.error.code, error.error.message, error.error.data)
  return error
}
