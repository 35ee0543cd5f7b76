import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { modern, modernOverHttp, openView, watch } from './fixture.ts'

type Json = Record<string, any>

const done = { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } }
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
const name = { method: 'elicitation/create', params: { mode: 'form', message: 'Name?', requestedSchema } }

/** The methods that a client sends from now on. */
function methodsOf(client: Client): () => unknown[] {
  const { mock } = vi.spyOn(client.transport!, 'send')
  return () => mock.calls.map(([message]) => (message as Json)['method'])
}

async function working() {
  const { client, server } = await modern()
  const view = await openView(client)
  const runner = watch({ connection: view.connection, tool: 'long' })
  const { task } = await runner.fire()
  return { ...view, client, server, runner, taskId: task.taskId! }
}

describe('a task of 2026-07-28 from a view', () => {
  test('is created, read, asked about, answered and finished', async () => {
    const { connection, server, runner, taskId } = await working()
    expect(connection).toMatchObject({ supportsTasks: true, generation: '2026-07-28' })
    Object.assign(server.tasks.get(taskId)!, { status: 'input_required', inputRequests: { name } })
    await vi.waitFor(() => expect(runner.getSnapshot().inputRequests).toMatchObject({ name: { kind: 'elicitation' } }))
    const answer = { action: 'accept', content: { name: 'Ada' } }
    await runner.respond({ name: answer })
    expect(server.updates).toEqual([{ taskId, inputResponses: { name: answer } }])
    Object.assign(server.tasks.get(taskId)!, done)
    expect(await runner.result()).toMatchObject({ data: 'done' })
  })

  test('is cancelled', async () => {
    const { server, runner, taskId } = await working()
    await runner.cancel()
    await vi.waitFor(() => expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true }))
    expect(server.tasks.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  test('a push reaches the view before it asks', async () => {
    const { client, server } = await modern()
    const { connection } = await openView(client)
    const slow = watch({ connection, tool: 'long', minPollInterval: 60_000 })
    const { task } = await slow.fire()
    await vi.waitFor(() => expect(server.listening.size).toBe(1))
    server.change(task.taskId!, done)
    expect(await slow.result()).toMatchObject({ data: 'done' })
    // Nothing is open any more that could be pushed.
    await vi.waitFor(() => expect(server.listening.size).toBe(0))
  })

  test('what the view declares is what the server hears, in calls and in reads', async () => {
    const { client, server } = await modernOverHttp()
    const { connection } = await openView(client)
    await watch({ connection, tool: 'long' }).fire()
    const [call] = server.received.of('tools/call')
    const read = await server.received.arrival('tasks/get')
    for (const { body } of [call!, read])
      expect(body.params._meta[CAPABILITIES]).toEqual({
        elicitation: { form: {}, url: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      })
  })

  test('a call that is asked something first is made again with the answer', async () => {
    const { client } = await modern()
    const { connection } = await openView(client)
    const runner = watch({ connection, tool: 'ask_first' })
    const fired = runner.fire()
    await vi.waitFor(() => expect(runner.getSnapshot().inputRequests).toMatchObject({ name: { kind: 'elicitation' } }))
    await runner.respond({ name: { action: 'accept', content: { name: 'Ada' } } })
    expect(await (await fired).result()).toMatchObject({ data: 'Hello, Ada!' })
  })
})

describe('calls', () => {
  test('of a view that does not ask for tasks become none', async () => {
    const { client, server } = await modern()
    const { app } = await openView(client)
    const greeting = await app.callServerTool({ name: 'greet', arguments: { name: 'Ada' } })
    expect(greeting).toMatchObject({ content: [{ text: 'Hello, Ada!' }] })
    await expect(app.callServerTool({ name: 'long' })).rejects.toMatchObject({ code: -32021 })
    expect(server.tasks.size).toBe(0)
  })

  test('without a task are made in the name of the host, which then answers what is asked', async () => {
    const { client, server } = await modernOverHttp()
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }))
    const { connection } = await openView(client)
    expect(await connection.request('tools/call', { name: 'ask_first' }, { asTask: false })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    })
    const [call] = server.received.of('tools/call')
    expect(call!.body.params._meta[CAPABILITIES]).toEqual({ elicitation: { form: {} }, sampling: {}, roots: {} })
  })

  test("progress arrives under the view's own token", async () => {
    const { client } = await modern()
    const { app, connection } = await openView(client)
    const seen: unknown[] = []
    const onProgress = (progress: Json) => seen.push(progress['progress'])
    expect(await connection.request('tools/call', { name: 'steps' }, { onProgress })).toMatchObject({
      content: [{ text: 'token number' }],
    })
    await app.callServerTool({ name: 'steps' }, { onprogress: onProgress })
    expect(seen).toEqual([1, 2, 3, 1, 2, 3])
  })

  test('that the view aborts are aborted at the server', async () => {
    const { client } = await modern()
    const { connection } = await openView(client)
    const sent = methodsOf(client)
    const controller = new AbortController()
    const call = connection.request('tools/call', { name: 'hang' }, { signal: controller.signal })
    await vi.waitFor(() => expect(sent()).toContain('tools/call'))
    controller.abort()
    await expect(call).rejects.toMatchObject({ reason: 'aborted' })
    await vi.waitFor(() => expect(sent()).toContain('notifications/cancelled'))
  })

  test("an error keeps the server's code; a server that is gone is no answer", async () => {
    const { client } = await modern()
    const { connection } = await openView(client)
    const unknown = connection.request('tools/call', { name: 'nothing' })
    await expect(unknown).rejects.toMatchObject({ code: -32602, message: 'Unknown tool nothing' })
    const sent = methodsOf(client)
    // One that may become a task, and one that may not.
    const calls = [undefined, false as const].map((asTask) =>
      connection.request('tools/call', { name: 'hang' }, asTask === undefined ? {} : { asTask }),
    )
    for (const call of calls) call.catch(() => {})
    await vi.waitFor(() => expect(sent().filter((method) => method === 'tools/call')).toHaveLength(2))
    await client.close()
    for (const call of calls) await expect(call).rejects.toMatchObject({ reason: 'network' })
    await expect(connection.request('tools/call', { name: 'hang' })).rejects.toMatchObject({ code: -32603 })
  })
})
