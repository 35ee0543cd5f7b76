import { fromClient } from '@mcp-task-machine/core/mcp'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerAsApp, connectToAsker, escapes, form, related, tick, watchEscapes } from './fixtures/asker.ts'

type Json = Record<string, any>
type Listener = Parameters<NonNullable<ReturnType<typeof fromClient>['onServerRequest']>>[0]

watchEscapes(beforeEach, afterEach)

describe.each(['SDK 2.x', 'SDK 1.x'] as const)('a question of a 2025-11-25 server, with %s', (kind) => {
  const connect = (capabilities?: object) => connectToAsker(kind, capabilities)

  describe('in a mode of elicitation', () => {
    test.each(['url', 'banana', '', null, 7])('that the client has not declared (%j) is refused', async (mode) => {
      const { client, connection, ask, told } = await connect()
      const handler = answerAsApp(client, { action: 'accept' })
      const listener = vi.fn<Listener>(() => Promise.resolve({ action: 'accept' }))
      connection.onServerRequest!(listener)
      await ask(1, { ...form('Name?', 't'), mode })
      await tick()
      expect(told(1)).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32602, message: expect.any(String) } }])
      expect(listener).not.toHaveBeenCalled()
      expect(handler).not.toHaveBeenCalled()
    })

    test('that it has declared is brought', async () => {
      const { connection, ask, told } = await connect({ elicitation: { form: {}, url: {} } })
      connection.onServerRequest!(() => Promise.resolve({ action: 'accept' }))
      await ask(1, { ...form('Open?', 't'), mode: 'url', url: 'https://tiles.example', elicitationId: 'e' })
      await tick()
      expect(told(1)).toMatchObject([{ result: { action: 'accept' } }])
    })
  })

  describe('that turns out later not to be ours', () => {
    const later = (): Promise<undefined> => tick().then(() => undefined)

    test('is answered by the app, once', async () => {
      const { client, connection, ask, told } = await connect()
      const handler = answerAsApp(client, { action: 'decline' })
      connection.onServerRequest!(later)
      await ask(0, form('Name?', 'of-the-app'))
      expect(handler).not.toHaveBeenCalled()
      await vi.waitFor(() => expect(told(0)).toMatchObject([{ result: { action: 'decline' } }]))
      expect(handler).toHaveBeenCalledOnce()
    })

    test('is answered by the handler that the app has set meanwhile', async () => {
      const { client, connection, ask, told } = await connect()
      connection.onServerRequest!(later)
      await ask(1, form('Name?', 'of-the-app'))
      const handler = answerAsApp(client, { action: 'decline' })
      await vi.waitFor(() => expect(told(1)).toMatchObject([{ result: { action: 'decline' } }]))
      expect(handler).toHaveBeenCalledOnce()
    })

    test('is unknown to a client that has no handler', async () => {
      const { connection, ask, told } = await connect()
      connection.onServerRequest!(later)
      await ask(1, form('Name?', 'of-nobody'))
      await vi.waitFor(() => expect(told(1)).toMatchObject([{ error: { code: -32601 } }]))
    })

    test('is the app’s only if the server still wants to know', async () => {
      const { peer, client, connection, ask, told } = await connect()
      const handler = answerAsApp(client, { action: 'decline' })
      connection.onServerRequest!(later)
      await ask(1, form('Name?', 'of-the-app'))
      await peer.notify('notifications/cancelled', { requestId: 1 })
      await tick()
      await tick()
      expect(handler).not.toHaveBeenCalled()
      expect(told(1)).toEqual([])
    })
  })

  test('without a task is ours only as long as the app has no handler for it', async () => {
    const { client, connection, ask, told } = await connect()
    const listener = vi.fn<Listener>(() => Promise.resolve({ action: 'accept' }))
    connection.onServerRequest!(listener)
    await ask(1, form('before?'))
    answerAsApp(client, { action: 'decline' })
    await ask(2, form('meanwhile?'))
    client.removeRequestHandler('elicitation/create')
    await ask(3, form('after?'))
    client.fallbackRequestHandler = async () => ({ action: 'cancel' })
    await ask(4, form('by the fallback?'))
    await vi.waitFor(() => expect(told(4)).toHaveLength(1))
    const actions = [1, 2, 3, 4].map((id) => told(id)[0].result.action)
    expect(actions).toEqual(['accept', 'decline', 'accept', 'cancel'])
    expect(listener).toHaveBeenCalledTimes(2)
  })

  test('is the app’s again once nobody of us listens any more', async () => {
    const { client, connection, ask, told } = await connect()
    answerAsApp(client, { action: 'decline' })
    const stop = connection.onServerRequest!(() => Promise.resolve({ action: 'accept' }))
    await ask(1, form('Name?', 't'))
    stop()
    await ask(2, form('Name?', 't'))
    await vi.waitFor(() => expect(told(2)).toMatchObject([{ result: { action: 'decline' } }]))
    expect(told(1)).toMatchObject([{ result: { action: 'accept' } }])
  })

  describe('that the server takes back', () => {
    test('tells so by its signal, and gets no answer', async () => {
      const { peer, connection, ask, told } = await connect()
      let reply: (answer: Json) => void = () => {}
      const listener = vi.fn<Listener>(() => new Promise((resolve) => (reply = resolve)))
      connection.onServerRequest!(listener)
      await ask(0, form('Name?', 't'))
      const { signal } = listener.mock.calls[0]![0]
      expect(signal!.aborted).toBe(false)
      await peer.notify('notifications/cancelled', { requestId: 7 })
      expect(signal!.aborted).toBe(false)
      await peer.notify('notifications/cancelled', { requestId: 0 })
      expect(signal!.aborted).toBe(true)
      reply({ action: 'accept' })
      await tick()
      expect(told(0)).toEqual([])
    })

    test('disappears from the view, and what a person answers then goes nowhere', async () => {
      const { peer, ask, told, run } = await connect()
      const { runner, taskId } = await run()
      await ask(0, form('Name?', taskId))
      const [key] = Object.keys(runner.getSnapshot().inputRequests)
      await peer.notify('notifications/cancelled', { requestId: 0 })
      expect(runner.getSnapshot().inputRequests).toEqual({})
      await runner.respond({ [key!]: { action: 'accept' } })
      expect(told(0)).toEqual([])
      expect(peer.sent('tasks/update')).toEqual([])
    })
  })

  test('reaches a run by its task, and the answer goes out under the server’s id and names that task', async () => {
    const { client, ask, told, run } = await connect()
    const handler = answerAsApp(client, { action: 'decline' })
    const { runner, taskId } = await run()
    await ask(0, form('Name?', taskId))
    await ask('for the app', form('Whose?', 'of-the-app'))
    await ask('without a task', form('And this?'))
    const [key] = Object.keys(runner.getSnapshot().inputRequests)
    await runner.respond({ [key!]: { action: 'accept', content: { name: 'Ada' } } })
    await vi.waitFor(() => expect(told('without a task')).toHaveLength(1))
    expect(told(0)).toEqual([
      { jsonrpc: '2.0', id: 0, result: { action: 'accept', content: { name: 'Ada' }, _meta: related(taskId) } },
    ])
    for (const id of ['for the app', 'without a task'])
      expect(told(id)).toMatchObject([{ result: { action: 'decline' } }])
    expect(handler).toHaveBeenCalledTimes(2)
  })

  describe('under an odd id or with an odd task', () => {
    test('is answered under just that id', async () => {
      const { connection, ask, told } = await connect()
      connection.onServerRequest!(({ params }) => Promise.resolve({ action: `${params.message}` }))
      for (const id of [0, '0', '', -1, 2 ** 53, '__proto__']) {
        await ask(id, form(`of ${id}`, 't'))
        await tick()
        expect(told(id)).toMatchObject([{ result: { action: `of ${id}` } }])
      }
    })

    test('that is used for two questions at once gets one answer at most', async () => {
      const { connection, ask, told } = await connect()
      const replies: ((answer: Json) => void)[] = []
      connection.onServerRequest!(() => new Promise((resolve) => replies.push(resolve)))
      await ask(1, form('one?', 't'))
      await ask(1, form('two?', 't'))
      for (const reply of replies) reply({ action: 'accept' })
      await tick()
      expect(told(1)).toHaveLength(1)
      await ask(1, form('three?', 't'))
      replies[2]!({ action: 'decline' })
      await tick()
      expect(told(1)).toHaveLength(2)
    })

    test.each([{}, null, [], 'x', 5, { taskId: null }, { taskId: 5 }, { taskId: {} }, { taskId: '__proto__' }])(
      'a related task of %j harms nothing, and the question is answered',
      async (odd) => {
        const { connection, ask, told } = await connect()
        connection.onServerRequest!(() => Promise.resolve({ action: 'accept' }))
        await ask(1, { ...form('Name?'), _meta: { 'io.modelcontextprotocol/related-task': odd } })
        await ask(2, { ...form('Name?'), _meta: odd })
        await tick()
        expect([told(1), told(2)]).toMatchObject([
          [{ result: { action: 'accept' } }],
          [{ result: { action: 'accept' } }],
        ])
      },
    )
  })

  test('is offered once, though the app has put a layer of its own on the transport, and passed on once', async () => {
    const { peer, client, connection, ask, told } = await connect()
    const handler = answerAsApp(client, { action: 'decline' })
    const listener = vi.fn<Listener>(({ taskId }) =>
      taskId === 'ours' ? Promise.resolve({ action: 'accept' }) : later(),
    )
    const later = (): Promise<undefined> => tick().then(() => undefined)
    connection.onServerRequest!(listener)
    const transport = peer.transport as Json
    const seen: unknown[] = []
    const { onmessage } = transport
    Object.assign(transport, {
      onmessage(message: Json, extra: unknown) {
        seen.push(message.id)
        onmessage(message, extra)
      },
    })
    await ask(1, form('Name?', 'ours'))
    await ask(2, form('Name?', 'of-the-app'))
    await vi.waitFor(() => expect(told(2)).toMatchObject([{ result: { action: 'decline' } }]))
    expect(told(1)).toMatchObject([{ result: { action: 'accept' } }])
    expect(listener).toHaveBeenCalledTimes(2)
    expect(handler).toHaveBeenCalledOnce()
    expect(seen.filter((id) => id === 2)).toHaveLength(1)
  })

  test('whose answer comes after the connection has closed harms nothing', async () => {
    const { peer, client, ask, run } = await connect()
    Object.assign(client, { onerror: vi.fn<() => void>() })
    const { runner, taskId } = await run()
    await ask(0, form('Name?', taskId))
    const [key] = Object.keys(runner.getSnapshot().inputRequests)
    await peer.far.close()
    await runner.respond({ [key!]: { action: 'accept' } })
    await tick()
    expect(runner.getSnapshot()).toMatchObject({ isTerminal: false, detachedBecause: 'connection' })
    expect(escapes).toEqual([])
  })

  test('of ten million characters and thousands of levels is brought, and answered', async () => {
    const { ask, told, run } = await connect()
    const { runner, taskId } = await run()
    let deep: object = {}
    for (let level = 0; level < 5000; level++) deep = { deep }
    await ask(1, { ...form('x'.repeat(10_000_000), taskId), requestedSchema: deep })
    const keys = Object.keys(runner.getSnapshot().inputRequests)
    expect(keys).toHaveLength(1)
    await runner.respond({ [keys[0]!]: { action: 'decline' } })
    await tick()
    expect(told(1)).toMatchObject([{ result: { action: 'decline' } }])
  })
})
