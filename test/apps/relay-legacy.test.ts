import { augmented, listTasks } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { describe, expect, test, vi } from 'vitest'
import { connectInMemory } from '../mcp/fixtures/legacy.ts'
import { legacy, openView, watch } from './fixture.ts'

async function working(tool = 'work') {
  const { client, works } = await legacy()
  const view = await openView(client)
  const runner = watch({ connection: view.connection, tool })
  const { task } = await runner.fire({ note: 'x' })
  return { ...view, client, works, runner, taskId: task.taskId! }
}

describe('a task of 2025-11-25 from a view', () => {
  test.each(['work', 'must'])('of the tool `%s` is created, read, and its result fetched', async (tool) => {
    const { connection, works, runner, taskId } = await working(tool)
    expect(connection).toMatchObject({ supportsTasks: true, generation: '2025-11-25' })
    await works.get(taskId)!.finish('done')
    expect(await runner.result()).toMatchObject({ data: 'done' })
  })

  test('is cancelled', async () => {
    const { runner } = await working()
    await runner.cancel()
    await vi.waitFor(() => expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true }))
  })

  test('tells its progress after the handle', async () => {
    const { works, runner, taskId } = await working()
    await works.get(taskId)!.progress(2)
    await vi.waitFor(() => expect(runner.getSnapshot().progress).toMatchObject({ value: 2, total: 3 }))
  })

  test('is told of when its status changes', async () => {
    const { connection, works, taskId } = await working()
    const seen: unknown[] = []
    connection.onNotification('notifications/tasks/status', (params) => seen.push(params))
    await works.get(taskId)!.finish('done')
    await vi.waitFor(() => expect(seen).toMatchObject([{ taskId, status: 'completed' }]))
  })

  test("asks through the host's own handlers", async () => {
    const { client } = await legacy()
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }))
    const { connection } = await openView(client)
    const handle = await watch({ connection, tool: 'ask' }).fire()
    expect(await handle.result()).toMatchObject({ data: 'Hello, Ada!' })
  })

  test('is in the list, which holds nothing else', async () => {
    const { client, connection, taskId } = await working()
    const host = fromClient(client)
    await host.request('tools/call', { name: 'work', arguments: {}, task: {} })
    expect(await host.request('tasks/list', {})).toMatchObject({ tasks: { length: 2 } })
    expect((await listTasks(connection)).tasks).toMatchObject([{ taskId }])
  })

  test('runs on a client of SDK 1.x, which the bridge itself cannot use', async () => {
    const { client, works } = await connectInMemory('SDK 1.x')
    const { connection } = await openView(client)
    const runner = watch({ connection, tool: 'must' })
    const { task } = await runner.fire()
    await works.get(task.taskId!)!.finish('done')
    expect(await runner.result()).toMatchObject({ data: 'done' })
  })

  test('a plain call stays one, and a tool without tasks is told from one with', async () => {
    const { client } = await legacy()
    const { app, connection } = await openView(client)
    expect(await app.callServerTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    })
    expect(await connection.taskSupport('greet')).toBe('forbidden')
    expect(await connection.taskSupport('must')).toBe('required')
    const demanding = watch({ connection, tool: 'greet', protocol: augmented() })
    await expect(demanding.fire({ name: 'Ada' })).rejects.toMatchObject({ kind: 'unsupported' })
  })

  test('a result and a cancel of somebody else are unknown', async () => {
    const { connection } = await working()
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      await expect(connection.request(method, { taskId: 'theirs' })).rejects.toMatchObject({ code: -32602 })
  })
})
