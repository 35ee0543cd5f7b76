export type { Clock, RequestOptions, ServerRequest, TaskConnection } from './connection.ts'
export { isTerminal } from './task.ts'
export type { ContentBlock, JsonObject, Task, TaskStatus, ToolResult } from './task.ts'
