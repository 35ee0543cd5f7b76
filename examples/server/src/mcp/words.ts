/** The key of the tasks extension of MCP 2026-07-28 in `capabilities.extensions`. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** JSON-RPC error codes that the server answers with. */
export const CODES = {
  invalidParams: -32602,
  internalError: -32603,
  missingClientCapability: -32021,
} as const
