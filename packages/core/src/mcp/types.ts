import type { RequestOptions } from '../connection.ts'
import type { JsonObject } from '../task.ts'

/**
 * What `fromClient` uses of an MCP SDK client. The `Client` of `@modelcontextprotocol/client` 2.x and the one of
 * `@modelcontextprotocol/sdk` 1.x both have it; neither package is imported.
 */
export interface McpClient {
  readonly transport?: object | undefined
  getServerCapabilities(): object | undefined
  getServerVersion(): { readonly name: string } | undefined
  request(...args: never[]): Promise<unknown>
  callTool(...args: never[]): Promise<unknown>
  /** 2.x only. */
  getNegotiatedProtocolVersion?(): string | undefined
  /** 2.x only. */
  listen?(...args: never[]): Promise<unknown>
}

/** The same client as it is called here; the member with an underscore is read where it is, never needed. */
export interface Caller {
  readonly transport?: Transport | undefined
  onerror?: ((error: Error) => void) | undefined
  getServerCapabilities(): Capabilities | undefined
  getServerVersion(): { readonly name: string } | undefined
  request(request: { method: string; params: JsonObject }, schema: object, options: object): Promise<unknown>
  callTool(params: JsonObject, options: object): Promise<unknown>
  getNegotiatedProtocolVersion?(): string | undefined
  listen?(filter: object, options: { signal: AbortSignal }): Promise<{ readonly closed?: Promise<unknown> }>
  assertCanSetRequestHandler(method: string): void
  readonly fallbackRequestHandler?: unknown
  readonly _capabilities?: { readonly [capability: string]: { readonly [mode: string]: unknown } | undefined }
}

export interface Capabilities {
  readonly extensions?: JsonObject
  readonly tasks?: {
    readonly requests?: { readonly tools?: { readonly call?: unknown } }
    readonly cancel?: unknown
    readonly list?: unknown
  }
}

/** A transport of either SDK. The members with an underscore are private to the SDKs: read where they are, never needed. */
export interface Transport {
  send(message: Message, options?: { onRequestStreamEnd?: () => void }): Promise<void>
  onmessage?: ((message: Message, extra?: unknown) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  readonly sessionId?: string | undefined
  readonly protocolVersion?: string | undefined
  readonly hasPerRequestStream?: boolean
  readonly _url?: URL | string
  readonly _serverParams?: { readonly command: string; readonly args?: readonly string[] }
  _fetch?: typeof fetch | undefined
}

/** Any JSON-RPC message. */
export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number
  readonly method?: string
  readonly params?: Params
  readonly result?: JsonObject
  readonly error?: AnswerError
}

export interface Params {
  _meta?: Record<string, unknown>
  notifications?: Params
  [key: string | symbol]: unknown
}

export interface AnswerError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** One request of ours on its way through the SDK. */
export interface Call {
  readonly method: string
  readonly onProgress?: RequestOptions['onProgress'] | undefined
  /** To be added to the HTTP request, where the SDK cannot. */
  readonly headers?: RequestOptions['headers']
  /** `false`: the server is not told that a task could be followed. */
  readonly asTask?: false | undefined
  /** The task it is about, where its answer need not name it. */
  readonly taskId?: unknown
  /** 2025-11-25: the progress token of a call outlives its answer, if that is a task (PROG-2). */
  readonly outlives: boolean
  /** The request reached the transport. */
  sent: boolean
  id?: number
  /** The raw result, as it came. */
  result?: JsonObject
  /** The raw JSON-RPC error, as it came. */
  error?: AnswerError | undefined
  /** The response stream ended without an answer. */
  lost?: boolean
  /** What the last HTTP error for it said. */
  http?: { readonly status: number; readonly retryAfter: string | null }
}
