export { fromApp, type FromAppOptions } from './from-app.ts'
export { relayTasks, type RelayOptions } from './relay-tasks.ts'
export type { McpApp, McpAppBridge } from './types.ts'
