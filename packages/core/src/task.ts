/** Any JSON object. Values are `unknown`: whatever crosses the wire is read, never trusted. */
export type JsonObject = { readonly [key: string]: unknown }

/** One block of a tool result's content (MCP `ContentBlock`): `text`, `image`, `resource_link`, … */
export type ContentBlock = JsonObject & { readonly type: string }

/** The five status words of both generations of MCP tasks. Any other word counts as `working`; see {@link Task.rawStatus}. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The newest accepted snapshot of a task, in one shape for both generations. */
export interface Task {
  /** The server's id: treat it as a secret (SEC-1). `null` for a call that was answered outright, which is never read. */
  readonly taskId: string | null
  readonly status: TaskStatus
  /** The server's own word, where it is none of ours (FWD-1). */
  readonly rawStatus?: string | undefined
  /** Free text for people; may be out of date on a finished task (EXT-POLL-9). */
  readonly statusMessage?: string | undefined
  /** ISO 8601, by the server's clock. */
  readonly createdAt?: string | undefined
  /** ISO 8601, by the server's clock. */
  readonly lastUpdatedAt?: string | undefined
  /** ms from creation; `null` = unlimited; absent = the server did not say. */
  readonly ttl?: number | null | undefined
  /** ms; the server's newest hint, before it is clamped. */
  readonly pollInterval?: number | undefined
}

/** What a tool gave back. */
export interface ToolResult<Output> {
  /** Structured content, else JSON parsed from the only text block, else that text. */
  readonly data: Output
  readonly content: readonly ContentBlock[]
  /** `true`: the tool itself says that it failed. */
  readonly isError: boolean
  /** The result as it came, unknown fields included. */
  readonly raw: JsonObject
}

/** Whether nothing more can come after this status. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
