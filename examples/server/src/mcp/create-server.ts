import { Server } from '@modelcontextprotocol/server'
import { addTools } from './call-tool.ts'
import type { Parts } from './parts.ts'
import { addResources } from './resources.ts'
import { addTasksExtension } from './tasks-extension.ts'
import { SERVER_INFO, TASKS_EXTENSION } from './words.ts'

/** A server of MCP 2026-07-28: for one HTTP request, or for one stdio connection. It holds nothing itself. */
export function createServer(parts: Parts): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: { tools: {}, resources: { listChanged: true }, extensions: { [TASKS_EXTENSION]: {} } },
  })
  addTools(server, parts)
  addTasksExtension(server, parts)
  addResources(server, parts)
  return server
}
