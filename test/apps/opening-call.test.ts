import { fromApp } from '@mcp-task-machine/core/apps'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { expect, test, vi } from 'vitest'
import { createApp, modern, openHost, watch } from './fixture.ts'

test("the host's opening tool call becomes the run: the view calls no tool", async () => {
  const { client, server } = await modern()
  const tasks = new Set<string>()
  const { bridge, near, of } = await openHost(client, { tasks })
  const app = createApp()
  const runner = watch({ connection: fromApp(app), tool: 'long' })
  app.addEventListener('toolresult', (result) => runner.adopt(result))
  await app.connect(near)

  const handle = await fromClient(client).request('tools/call', { name: 'long', arguments: {} })
  const taskId = String(handle['taskId'])
  tasks.add(taskId)
  await bridge.sendToolResult({ content: [], ...handle })
  await vi.waitFor(() => expect(runner.getSnapshot()).toMatchObject({ phase: 'working', task: { taskId } }))
  // What the host says of its own call later does not end the run (APP-5).
  await bridge.sendToolCancelled({ reason: 'elsewhere' })

  server.change(taskId, { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } })
  expect(await runner.result()).toMatchObject({ data: 'done' })
  expect(of('tools/call')).toEqual([])
})

test("the host's opening tool call is cancelled before it is answered: nothing has failed, and the view can go on", async () => {
  const { client, server } = await modern()
  const { bridge, near, of } = await openHost(client)
  const app = createApp()
  const runner = watch({ connection: fromApp(app), tool: 'long' })
  app.addEventListener('toolresult', (result) => runner.adopt(result))
  const cancelled = new Promise((resolve) => app.addEventListener('toolcancelled', resolve))
  await app.connect(near)

  await bridge.sendToolCancelled({ reason: 'The person closed the chat.' })
  expect(await cancelled).toMatchObject({ reason: 'The person closed the chat.' })
  expect(runner.getSnapshot()).toMatchObject({ phase: 'idle', error: null, cancelRequested: false })
  expect(of('tools/call')).toEqual([])

  const { task } = await runner.fire()
  server.change(task.taskId!, { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } })
  expect(await runner.result()).toMatchObject({ data: 'done' })
  expect(of('tools/call')).toHaveLength(1)
})
