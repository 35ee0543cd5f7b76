import { createTaskRunner } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerAsApp, connectToAsker, form, tick, watchEscapes } from './fixtures/asker.ts'
import { AUGMENTED, createPeer } from './fixtures/peer.ts'

watchEscapes(beforeEach, afterEach)

type Json = Record<string, any>

describe.each(['SDK 2.x', 'SDK 1.x'] as const)('with %s', (kind) => {
  /** The client is connected anew, to a server that counts its requests from 0 again. */
  async function reconnect({ peer, client }: Json, taskId: string) {
    await peer.far.close()
    const next = await createPeer('2025-11-25', AUGMENTED)
    next.answers['tasks/get'] = () => ({ result: { taskId, status: 'input_required', ttl: null } })
    next.answers['tasks/result'] = () => 'none'
    await client.connect(next.transport)
    const told = (id: unknown) => next.received.filter((message) => message.id === id && !message.method)
    return { next, told }
  }

  test('asked again by the server of the next connection, under the same id, a question is answered there', async () => {
    const server = await connectToAsker(kind)
    const { runner, taskId } = await server.run()
    await server.ask(0, form('Name?', taskId))
    const { next, told } = await reconnect(server, taskId)
    await runner.resume()
    await next.send({ id: 0, method: 'elicitation/create', params: form('Name?', taskId) })
    const [key] = Object.keys(runner.getSnapshot().inputRequests)
    await runner.respond({ [key!]: { action: 'decline' } })
    await tick()
    expect(told(0)).toMatchObject([{ result: { action: 'decline' } }])
  })

  test('a question of a connection that is gone is not shown any more', async () => {
    const server = await connectToAsker(kind)
    const { runner, taskId } = await server.run()
    await server.ask(0, form('Name?', taskId))
    const { next } = await reconnect(server, taskId)
    await runner.resume()
    await next.send({ id: 0, method: 'elicitation/create', params: form('Age?', taskId) })
    const shown = Object.values(runner.getSnapshot().inputRequests).map(({ params }) => params['message'])
    expect(shown).toEqual(['Age?'])
  })

  test('a question is withdrawn, for its listener, when the connection closes', async () => {
    const { peer, connection, ask } = await connectToAsker(kind)
    let signal: AbortSignal | undefined
    connection.onServerRequest!((request) => {
      signal = request.signal
      return new Promise(() => {})
    })
    await ask(1, form('Name?', 't'))
    await peer.far.close()
    expect(signal!.aborted).toBe(true)
  })

  test('two connections of one client: a question about a task of one is not held by an open call of the other', async () => {
    const { peer, client, ask, run } = await connectToAsker(kind)
    const handler = answerAsApp(client, { action: 'decline' })
    const answer = peer.answers['tools/call']!
    peer.answers['tools/call'] = () => 'none'
    const other = createTaskRunner({ connection: fromClient(client, { endpoint: 'other' }), tool: 'work' })
    other.fire().catch(() => {})
    await tick()
    peer.answers['tools/call'] = answer
    const { runner, taskId } = await run()
    await ask(1, form('Name?', taskId))
    await tick()
    expect(Object.keys(runner.getSnapshot().inputRequests)).toHaveLength(1)
    other.dispose()
    await tick()
    expect(handler).not.toHaveBeenCalled()
  })

  test('two connections of one client, each with an open call: a question that names no task is nobody’s', async () => {
    const { peer, client, ask, told } = await connectToAsker(kind)
    peer.answers['tools/call'] = () => 'none'
    const runners = ['one', 'two'].map((endpoint) =>
      createTaskRunner({ connection: fromClient(client, { endpoint }), tool: 'work' }),
    )
    for (const runner of runners) runner.fire().catch(() => {})
    await tick()
    await ask(1, form('Whose?'))
    await tick()
    expect(runners.map((runner) => runner.getSnapshot().inputRequests)).toEqual([{}, {}])
    expect(told(1)).toMatchObject([{ error: { code: -32601 } }])
    for (const runner of runners) runner.dispose()
  })

  test('a question about a task of the app does not wait for the end of a call of ours that cannot become a task', async () => {
    const { peer, client, connection, ask, told } = await connectToAsker(kind)
    const handler = answerAsApp(client, { action: 'decline' })
    peer.answers['tools/call'] = () => 'none'
    const runner = createTaskRunner({ connection, tool: 'another' })
    runner.fire().catch(() => {})
    await tick()
    await ask(1, form('Name?', 'of-the-app'))
    await tick()
    expect(handler).toHaveBeenCalledOnce()
    expect(told(1)).toHaveLength(1)
    runner.dispose()
  })

  test('a layer of the app throws for a question that is handed on later: reported, and the process lives', async () => {
    const { peer, client, connection } = await connectToAsker(kind)
    const errors = vi.fn<(error: Error) => void>()
    Object.assign(client, { onerror: errors })
    connection.onServerRequest!(() => tick().then(() => undefined))
    const transport = peer.transport as Json
    const { onmessage } = transport
    Object.assign(transport, {
      onmessage(message: Json, extra: unknown) {
        if (message.method === 'elicitation/create') throw new Error('of the app')
        onmessage(message, extra)
      },
    })
    transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: form('Name?', 't') })
    await tick()
    await tick()
    expect(errors).toHaveBeenCalledOnce()
  })

  test('a transport that throws at an answer instead of rejecting: reported, and the process lives', async () => {
    const { peer, client, connection, ask } = await connectToAsker(kind)
    const errors = vi.fn<(error: Error) => void>()
    Object.assign(client, { onerror: errors })
    connection.onServerRequest!(() => Promise.resolve({ action: 'decline' }))
    Object.assign(peer.transport, {
      send() {
        throw new Error('not connected')
      },
    })
    await ask(1, form('Name?', 't'))
    await tick()
    expect(errors).toHaveBeenCalledOnce()
  })

  test.each(['notifications/cancelled', 'notifications/progress', 'notifications/tasks/status'])(
    '%s without parameters (null) does not reach the transport as an exception of ours',
    async (method) => {
      const { peer, connection } = await connectToAsker(kind)
      connection.onNotification(method, () => {})
      await peer.send({ method, params: null })
    },
  )

  test('a question without parameters (null) is answered', async () => {
    const { connection, ask, told } = await connectToAsker(kind)
    connection.onServerRequest!(() => Promise.resolve({ action: 'decline' }))
    await ask(1, null)
    await tick()
    expect(told(1)).toHaveLength(1)
  })

  test('a client that has declared no elicitation at all is not made to show one', async () => {
    const { client, connection, ask, told } = await connectToAsker(kind)
    client._capabilities = {}
    const listener = vi.fn<() => Promise<Json>>(() => Promise.resolve({ action: 'accept' }))
    connection.onServerRequest!(listener)
    await ask(1, form('Name?', 't'))
    await tick()
    expect(listener).not.toHaveBeenCalled()
    expect(told(1)).toMatchObject([{ error: {} }])
  })
})
