import { relayTasks } from '@mcp-task-machine/core/apps'
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { describe, expect, test, vi } from 'vitest'
import { createV2 } from '../mcp/fixtures/clients.ts'
import { createPeer, TASKS } from '../mcp/fixtures/peer.ts'
import { createApp, modern, openHost, openView, watch } from './fixture.ts'

describe("other people's tasks", () => {
  test('are unknown to the view, and the server is not asked', async () => {
    const { client, server } = await modern()
    const { connection } = await openView(client)
    const { taskId } = server.create('theirs')
    const sent = vi.spyOn(client.transport!, 'send')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      await expect(connection.request(method, { taskId })).rejects.toMatchObject({ code: -32602 })
    expect(sent).not.toHaveBeenCalled()
    expect(server.tasks.get('theirs')).toMatchObject({ status: 'working' })
  })

  test('are not pushed to it', async () => {
    const { client, server } = await modern()
    const { connection, taskId } = await (async () => {
      const view = await openView(client)
      const { task } = await watch({ connection: view.connection, tool: 'long' }).fire()
      return { ...view, taskId: task.taskId! }
    })()
    const seen: unknown[] = []
    connection.onNotification('notifications/tasks', (params) => seen.push(params))
    // The host itself follows another one on the same client.
    server.create('theirs')
    const stop = await client.listen({ taskIds: ['theirs'] } as never)
    await vi.waitFor(() => expect(server.listening.size).toBe(2))
    server.change('theirs', { statusMessage: 'secret' })
    server.change(taskId, { statusMessage: 'mine' })
    await vi.waitFor(() => expect(seen).not.toEqual([]))
    expect(seen).toMatchObject([{ taskId, statusMessage: 'mine' }])
    expect(seen[0]).not.toHaveProperty('_meta')
    await stop.close()
  })

  test('can be given to it by the host', async () => {
    const { client, server } = await modern()
    const { connection } = await openView(client, { tasks: new Set(['given']) })
    server.create('given')
    expect(await connection.request('tasks/get', { taskId: 'given' })).toMatchObject({ taskId: 'given' })
  })
})

describe('a view that wants too much', () => {
  test('has a thousand tasks: the oldest is forgotten', async () => {
    const tasks = new Set(Array.from({ length: 1000 }, (_, index) => `old-${index}`))
    const { client } = await modern()
    const { connection } = await openView(client, { tasks })
    await connection.request('tools/call', { name: 'long' })
    expect(tasks.size).toBe(1000)
    expect(tasks.has('old-0')).toBe(false)
    expect(tasks.has('task-1')).toBe(true)
  })

  test('has a hundred requests out: the next is refused', async () => {
    const { client, server } = await modern()
    const { connection } = await openView(client)
    const calls = Array.from({ length: 100 }, () => connection.request('tools/call', { name: 'hang' }))
    for (const call of calls) call.catch(() => {})
    await expect(connection.request('tools/call', { name: 'long' })).rejects.toMatchObject({ code: -32603 })
    expect(server.tasks.size).toBe(0)
    await client.close()
    await Promise.allSettled(calls)
  })
})

describe("tools that are the model's alone", () => {
  async function withTools(tools: object[] | null) {
    const peer = await createPeer('2026-07-28', TASKS)
    peer.answers['tools/list'] = () =>
      tools
        ? { result: { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' } }
        : { error: { code: -32000, message: 'Later.' } }
    peer.answers['tools/call'] = () => ({ result: { resultType: 'complete', content: [] } })
    const client = createV2()
    await client.connect(peer.transport)
    return { peer, ...(await openView(client)) }
  }
  const tool = (name: string, visibility?: string[]) => ({
    name,
    inputSchema: { type: 'object' },
    ...(visibility && { _meta: { ui: { visibility } } }),
  })

  test('are refused to views, the others are not', async () => {
    const { peer, app, connection } = await withTools([tool('a', ['model']), tool('b', ['model', 'app']), tool('c')])
    await expect(connection.request('tools/call', { name: 'a' })).rejects.toMatchObject({ code: -32602 })
    await expect(app.callServerTool({ name: 'a' })).rejects.toMatchObject({ code: -32602 })
    expect(peer.sent('tools/call')).toEqual([])
    for (const name of ['b', 'c']) await connection.request('tools/call', { name })
    expect(peer.sent('tools/list')).toHaveLength(1)
  })

  test('are looked up again when the list has changed', async () => {
    const tools = [tool('a')]
    const { peer, connection } = await withTools(tools)
    await connection.request('tools/call', { name: 'a' })
    tools[0] = tool('a', ['model'])
    await peer.notify('notifications/tools/list_changed')
    await expect(connection.request('tools/call', { name: 'a' })).rejects.toMatchObject({ code: -32602 })
  })

  test('cannot be told while the list cannot be read: no call is made', async () => {
    const { peer, connection } = await withTools(null)
    await expect(connection.request('tools/call', { name: 'a' })).rejects.toMatchObject({ code: -32603 })
    expect(peer.sent('tools/call')).toEqual([])
    peer.answers['tools/list'] = () => ({ error: { code: -32601, message: 'Method not found' } })
    expect(await connection.request('tools/call', { name: 'a' })).toMatchObject({ content: [] })
  })
})

describe('the relay itself', () => {
  test('is one for a bridge: another one is refused, and the first goes on', async () => {
    const { client } = await modern()
    const { bridge, connection } = await openView(client)
    expect(() => relayTasks(bridge, client)).toThrow('already registered')
    expect(bridge.getCapabilities().experimental).toEqual({ 'io.modelcontextprotocol/tasks': {} })
    const { task } = await watch({ connection, tool: 'long' }).fire()
    expect(task.taskId).toBe('task-1')
  })

  test('needs a connected bridge', async () => {
    const { client } = await modern()
    const bridge = new AppBridge(client, { name: 'host', version: '1.0.0' }, { serverTools: {} })
    expect(() => relayTasks(bridge, client)).toThrow(TypeError)
  })

  test('stopped, the bridge is as it was', async () => {
    const { client } = await modern()
    const { bridge, stop, near } = await openHost(client)
    expect(bridge.getCapabilities().experimental).toEqual({ 'io.modelcontextprotocol/tasks': {} })
    const relayed = bridge.oncalltool
    stop()
    stop()
    expect(bridge.getCapabilities()).toEqual({ serverTools: {} })
    expect(bridge.oncalltool).not.toBe(relayed)
    const app = createApp()
    await app.connect(near)
    expect(await app.callServerTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    })
    // Free for a relay of another client.
    relayTasks(bridge, client)()
  })

  test('ends with the bridge; the task goes on', async () => {
    const { client, server } = await modern()
    const { bridge, connection } = await openView(client)
    const { task } = await watch({ connection, tool: 'long' }).fire()
    await vi.waitFor(() => expect(server.listening.size).toBe(1))
    await bridge.close()
    await vi.waitFor(() => expect(server.listening.size).toBe(0))
    expect(server.tasks.get(task.taskId!)).toMatchObject({ status: 'working' })
  })

  test('asks nobody itself: a host puts its own question around the call', async () => {
    const { client, server } = await modern()
    const { bridge, connection } = await openView(client)
    const relayed = bridge.oncalltool!
    bridge.oncalltool = undefined
    const asked = vi.fn<(tool: string) => boolean>((tool) => tool !== 'long')
    bridge.oncalltool = async (params, context) => {
      if (!asked(params.name)) throw new Error('The person said no.')
      return relayed(params, context)
    }
    await expect(watch({ connection, tool: 'long' }).fire()).rejects.toMatchObject({ message: 'The person said no.' })
    expect(server.tasks.size).toBe(0)
    expect(await (await watch({ connection, tool: 'greet' }).fire({ name: 'Ada' })).result()).toMatchObject({
      data: 'Hello, Ada!',
    })
  })
})
