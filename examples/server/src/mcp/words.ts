/** The key of the tasks extension of MCP 2026-07-28 in `capabilities.extensions`. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The key in a 2025-11-25 handle's `_meta` of a sentence that a model may go on with at once. */
export const IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response'

/** How the server names itself. */
export const SERVER_INFO = { name: 'mcp-task-machine-example', version: '0.0.0' }

/** JSON-RPC error codes that the server answers with. */
export const CODES = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  missingClientCapability: -32021,
} as const
