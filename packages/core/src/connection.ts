import type { JsonObject } from './task.ts'

/** The time that everything in the machine runs on. `now()` is in ms since the Unix epoch, so that deadlines outlive the process. */
export interface Clock {
  now(): number
  setTimeout(fn: () => void, ms: number): unknown
  clearTimeout(id: unknown): void
}

/** Settings of one request. */
export interface RequestOptions {
  /** Aborting rejects; on a 2026-07-28 HTTP connection it also cancels the call at the server. */
  readonly signal?: AbortSignal
  /** ms until the request is given up. */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string>>
  /** `false`: the answer must be no task, where the client has a say in that (2026-07-28). */
  readonly asTask?: false
  /** Receives the parameters of each progress notification; asking for it sends a progress token. */
  readonly onProgress?: (progress: JsonObject) => void
}

/** A request of the server to the client (elicitation, sampling, roots) that belongs to one of our tasks. */
export interface ServerRequest {
  readonly method: string
  readonly params: JsonObject
  /** The related task, where the server names it. */
  readonly taskId: string | null
  /** Aborted when the server withdraws the request, where the connection hears of it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The machine's only way to a server: one per MCP connection, shared by all its runners, and the one seam that tests fake.
 * `fromClient` of `@mcp-task-machine/core/mcp` makes one from an MCP SDK client.
 */
export interface TaskConnection {
  /**
   * Sends one request and resolves with the raw `result`, a task handle or an `input_required` answer included.
   * Rejects with an error that keeps the JSON-RPC `code` and `data` and the HTTP `status`.
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
  onNotification(method: string, listener: (params: JsonObject) => void): () => void
  /**
   * Asks for pushes about these ids, where the protocol has them; `undefined` where not. Never a promise that they come.
   * `onEnd` is called once if they stop coming by themselves.
   */
  listen?(taskIds: readonly string[], onEnd?: () => void): () => void
  /**
   * Offers server requests that may belong to our tasks: those with a related task, and those without one that the app has no handler for.
   * A listener that returns `undefined`, at once or in the end, leaves the request to the app.
   */
  onServerRequest?(listener: (request: ServerRequest) => Promise<JsonObject | undefined> | undefined): () => void
  /** A task could come back: branch on it before firing. */
  readonly supportsTasks: boolean
  /** Which generation of tasks the connection speaks. */
  readonly generation: '2026-07-28' | '2025-11-25' | 'none'
  /** The server lists tasks (`tasks/list`, 2025-11-25), so that one whose id was lost may be found. @default unknown */
  readonly listsTasks?: boolean
  /** The tool's `execution.taskSupport` (2025-11-25); absent counts as `forbidden`. */
  taskSupport(tool: string): Promise<'required' | 'optional' | 'forbidden'>
  /** The `_meta` of the tool's definition; absent: nobody can tell. */
  toolMeta?(tool: string): Promise<JsonObject | undefined>
  /** Stable identity of the endpoint, for references. */
  readonly endpoint: string
  /** Who is logged in, where the app says so: references of another one are not read (SEC-6). */
  readonly principal?: string | undefined
  /** Tells one session from another, where the server has sessions; not the session's own id. */
  readonly session?: string | undefined
  readonly clock: Clock
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number
  onClose(listener: (reason: unknown) => void): () => void
  /** Calls back when a connection that had closed is open again, where it opens by itself: what was being read goes on. */
  onOpen?(listener: () => void): () => void
  /** Resolves once the connection is open, where it opens by itself: until then its generation is not known. */
  ready?(): Promise<void>
}
