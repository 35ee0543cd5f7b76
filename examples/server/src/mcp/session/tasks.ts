import { fromJsonSchema, type Result, type ServerContext } from '@modelcontextprotocol/server'
import { CallFailed } from '../../tasks/errors.ts'
import { withRpcErrors } from '../errors.ts'
import { resultOf } from '../result.ts'
import { cursorOf, placeOf } from './cursor.ts'
import type { Session } from './session.ts'
import { relatedTask, taskState } from './task-words.ts'
import { waitFor } from './wait.ts'

const PAGE = 20

const oneTask = fromJsonSchema<{ taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string' } },
  required: ['taskId'],
})
const onePage = fromJsonSchema<{ cursor?: string }>({ type: 'object', properties: { cursor: { type: 'string' } } })

/**
 * `tasks/get`, `tasks/result`, `tasks/cancel` and `tasks/list` of MCP 2025-11-25. Whoever knows an id may use it, from any
 * session: a new session goes on where one ended. The list is of the tasks that this session made.
 */
export function addTasks(session: Session): void {
  const { server, list } = session
  const { engine, settings } = session.parts
  server.setRequestHandler('tasks/get', { params: oneTask }, ({ taskId }) =>
    withRpcErrors(async () => taskState(await engine.get(taskId), settings.pollIntervalMs)),
  )
  server.setRequestHandler('tasks/cancel', { params: oneTask }, ({ taskId }) =>
    withRpcErrors(async () => taskState(await engine.cancelNow(taskId), settings.pollIntervalMs)),
  )
  server.setRequestHandler('tasks/result', { params: oneTask }, ({ taskId }, ctx) =>
    withRpcErrors(() => readResult(session, taskId, ctx)),
  )
  server.setRequestHandler('tasks/list', { params: onePage }, ({ cursor }) =>
    withRpcErrors(async () => {
      const found = await engine.list(list, PAGE + 1, cursor === undefined ? undefined : placeOf(cursor))
      const page = found.slice(0, PAGE)
      const last = found.length > PAGE ? page.at(-1) : undefined
      return {
        tasks: page.map((task) => taskState(task, settings.pollIntervalMs)),
        ...(last && { nextCursor: cursorOf(last) }),
      }
    }),
  )
}

async function readResult(session: Session, taskId: string, ctx: ServerContext): Promise<Result> {
  const meta = relatedTask(taskId)
  // That its stream is lost ends no wait here: the client may still answer what it was asked on it.
  const task = await waitFor(session, taskId, { ctx, meta })
  if (!task) throw new CallFailed({ code: -32603, message: 'The wait was cancelled.' })
  return { ...resultOf(task), _meta: meta }
}
