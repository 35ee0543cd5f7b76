import type { JsonObject } from '../task.ts'

/** What `fromApp` uses of the `App` of `@modelcontextprotocol/ext-apps` 2.x, which is not imported. */
export interface McpApp {
  readonly transport?: object | undefined
  getHostCapabilities(): object | undefined
  getHostVersion(): { readonly name: string } | undefined
  request(...args: never[]): Promise<unknown>
  assertCanSetRequestHandler(method: string): void
}

/** The same app as it is used here; the member with an underscore is read where it is, never needed. */
export interface View {
  readonly transport?: ViewTransport | undefined
  onerror?: ((error: Error) => void) | undefined
  getHostCapabilities(): HostCapabilities | undefined
  getHostVersion(): { readonly name: string } | undefined
  request(request: object, schema: object, options: object): Promise<unknown>
  assertCanSetRequestHandler(method: string): void
  readonly fallbackRequestHandler?: unknown
  readonly _appInfo?: { readonly name: string }
}

/** A transport as the teardown watch needs it. */
export interface ViewTransport {
  send(message: object): Promise<void>
  onmessage?: ((message: { id?: unknown; method?: string }, extra?: unknown) => void) | undefined
}

export interface HostCapabilities extends JsonObject {
  readonly serverTools?: object
  readonly experimental?: JsonObject
}

/** What `relayTasks` uses of the `AppBridge` of `@modelcontextprotocol/ext-apps` 2.x, which is not imported. */
export interface McpAppBridge {
  readonly transport?: object | undefined
  getCapabilities(): object
  oncalltool?: unknown
  setRequestHandler(...args: never[]): void
  removeRequestHandler(method: string): void
  notification(...args: never[]): Promise<void>
}

/** The same bridge as it is used here. */
export interface Bridge {
  readonly transport?: object | undefined
  getCapabilities(): HostCapabilities
  oncalltool?: Handler | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  setRequestHandler(method: string, schemas: object, handler: Handler): void
  removeRequestHandler(method: string): void
  notification(notification: { method: string; params: JsonObject }): Promise<void>
}

/** A handler of a request. */
export type Handler = (params: JsonObject, context: Context) => Promise<JsonObject>

/** What a handler is told besides the parameters: among it what the SDK takes out of them. */
export interface Context {
  readonly mcpReq: {
    readonly signal: AbortSignal
    readonly envelope?: JsonObject
    readonly inputResponses?: JsonObject
    requestState?(): unknown
  }
}
