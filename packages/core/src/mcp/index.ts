export { RequestError, type RequestErrorReason } from './errors.ts'
export { fromClient, type FromClientOptions } from './from-client.ts'
export { reconnecting, type ReconnectingOptions } from './reconnecting.ts'
export type { McpClient } from './types.ts'
