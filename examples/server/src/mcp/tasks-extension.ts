import { fromJsonSchema, type Server } from '@modelcontextprotocol/server'
import { requireTasks } from './capabilities.ts'
import { withRpcErrors } from './errors.ts'
import type { Parts } from './parts.ts'
import { taskSnapshot } from './task-snapshot.ts'

const params = fromJsonSchema<{ taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string' } },
  required: ['taskId'],
})

/** `tasks/get`, `tasks/update` and `tasks/cancel` of the extension (MCP 2026-07-28). */
export function addTasksExtension(server: Server, { engine, settings }: Parts): void {
  server.setRequestHandler('tasks/get', { params }, ({ taskId }, ctx) =>
    withRpcErrors(async () => {
      requireTasks(ctx)
      return taskSnapshot(await engine.get(taskId), settings.pollIntervalMs)
    }),
  )
  server.setRequestHandler('tasks/update', { params }, ({ taskId }, ctx) =>
    withRpcErrors(async () => {
      requireTasks(ctx)
      await engine.answer(taskId, ctx.mcpReq.inputResponses ?? {})
      return {}
    }),
  )
  server.setRequestHandler('tasks/cancel', { params }, ({ taskId }, ctx) =>
    withRpcErrors(async () => {
      requireTasks(ctx)
      await engine.cancel(taskId)
      return {}
    }),
  )
}
