import type { JsonObject } from '../json.ts'

/** The five status words of MCP tasks. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What a tool gives back (MCP `CallToolResult`). */
export interface ToolResult {
  readonly content: readonly ({ readonly type: string } & JsonObject)[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  /** What is for the app alone: never shown to a model. */
  readonly _meta?: JsonObject
}

/** A JSON-RPC error as data. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Questions for the person at the client, by key. */
export type InputRequests = Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>

/** The answers, by the keys of the questions. */
export type InputAnswers = Readonly<Record<string, JsonObject>>

/** A task as it is kept, in no protocol's words: each protocol makes its own snapshot of it. */
export interface Task {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
  readonly status: TaskStatus
  readonly statusMessage: string | null
  readonly progress: number | null
  readonly total: number | null
  readonly result: ToolResult | null
  readonly error: RpcError | null
  /** The questions still open. */
  readonly inputRequests: InputRequests | null
  readonly answers: InputAnswers
  /** Where the work goes on after an interruption; the tool's own shape. */
  readonly checkpoint: JsonObject | null
  readonly cancelRequested: boolean
  readonly leaseOwner: string | null
  /** How often a worker died or stopped under it. */
  readonly interruptions: number
  /** 1, and one more for each retry. */
  readonly attempt: number
  /** The task that goes on where this one failed or was cancelled. */
  readonly retriedAs: string | null
  /** What the server's own log calls it, and its retries. */
  readonly traceId: string
  /** ms from creation; `null` for ever. */
  readonly ttlMs: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Whether nothing more can happen to a task. */
export function isFinished(task: Task): boolean {
  return task.status === 'completed' || task.status === 'failed' || task.status === 'cancelled'
}
