import { fromClient } from '@mcp-task-machine/core/mcp'
import { describe, expect, test, vi } from 'vitest'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createV2, silence } from './fixtures/clients.ts'
import { tick } from './fixtures/asker.ts'
import { serveByHand } from './fixtures/http.ts'
import { connectToTasks } from './fixtures/modern.ts'
import { createPeer, TASKS } from './fixtures/peer.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** A subscription whose far end is in the test's hands. */
async function subscribe() {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  silence(client)
  await client.connect(peer.transport)
  const ids: unknown[] = []
  peer.answers['subscriptions/listen'] = (_, id) => {
    ids.push(id)
    return 'none'
  }
  const onEnd = vi.fn<() => void>()
  const stop = fromClient(client).listen!(['one'], onEnd)
  await vi.waitFor(() => expect(ids).toHaveLength(1))
  const acknowledge = () =>
    peer.notify('notifications/subscriptions/acknowledged', { _meta: { [SUBSCRIPTION]: ids[0] }, notifications: {} })
  return { peer, client, id: ids[0], onEnd, stop, acknowledge }
}

type Subscription = Awaited<ReturnType<typeof subscribe>>

/** How a server can end one. */
const ends: Record<string, (subscription: Subscription) => unknown> = {
  'ends it gracefully': ({ peer, id }) => peer.send({ id, result: { resultType: 'complete' } }),
  'refuses it': ({ peer, id }) => peer.send({ id, error: { code: -32603, message: 'too many' } }),
  'takes it down': ({ peer, id }) => peer.notify('notifications/cancelled', { requestId: id }),
  'closes the connection': ({ peer }) => peer.far.close(),
}

describe.each(Object.entries(ends))('a server that %s', (name, end) => {
  test.each([
    ['before it has acknowledged it', false],
    ['after it has acknowledged it', true],
  ])('%s: the end is told once', async (_, isAcknowledged) => {
    const subscription = await subscribe()
    if (isAcknowledged) await subscription.acknowledge()
    await tick()
    expect(subscription.onEnd).not.toHaveBeenCalled()
    await end(subscription)
    await tick()
    expect(subscription.onEnd).toHaveBeenCalledOnce()
    subscription.stop()
    if (name !== 'closes the connection') await end(subscription)
    await subscription.client.close()
    await tick()
    expect(subscription.onEnd).toHaveBeenCalledOnce()
  })

  test('after we have stopped it: no end is told', async () => {
    const subscription = await subscribe()
    await subscription.acknowledge()
    subscription.stop()
    await end(subscription)
    await tick()
    expect(subscription.onEnd).not.toHaveBeenCalled()
  })
})

describe('our own stop', () => {
  test.each([
    ['before it was acknowledged', false],
    ['after it was acknowledged', true],
  ])('%s is no end, and tells the server so', async (_, isAcknowledged) => {
    const { peer, id, onEnd, stop, acknowledge } = await subscribe()
    if (isAcknowledged) await acknowledge()
    stop()
    stop()
    await tick()
    expect(peer.sent('notifications/cancelled').map(({ params }) => params.requestId)).toEqual([id])
    expect(peer.sent('tasks/cancel')).toEqual([])
    expect(onEnd).not.toHaveBeenCalled()
  })

  test('of a client that is closed right after is no end either', async () => {
    const { client, onEnd, stop } = await subscribe()
    stop()
    await client.close()
    await tick()
    expect(onEnd).not.toHaveBeenCalled()
  })
})

test('a subscription that its client closes is an end: nobody of us has stopped it', async () => {
  const { client, onEnd, acknowledge } = await subscribe()
  await acknowledge()
  await client.close()
  await tick()
  expect(onEnd).toHaveBeenCalledOnce()
})

test('a client that is not connected: the end is told, and nothing else happens', async () => {
  const peer = await createPeer('2026-07-28', TASKS)
  const client = createV2()
  await client.connect(peer.transport)
  const { listen } = fromClient(client)
  await client.close()
  const onEnd = vi.fn<() => void>()
  listen!(['one'], onEnd)
  await tick()
  expect(onEnd).toHaveBeenCalledOnce()
})

describe('over Streamable HTTP', () => {
  test('a stream that breaks off is an end, and our own stop is none', async () => {
    const streams: { end(): void; destroy(): void }[] = []
    const { url } = await serveByHand((body, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      const params = { _meta: { [SUBSCRIPTION]: body.id }, notifications: {} }
      const frame = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
      res.write(`event: message\ndata: ${JSON.stringify(frame)}\n\n`)
      streams.push(res)
    })
    const client = createV2()
    silence(client)
    await client.connect(new StreamableHTTPClientTransport(url))
    const connection = fromClient(client)
    const ended = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()]
    const stops = ended.map((onEnd) => connection.listen!(['one'], onEnd))
    await vi.waitFor(() => expect(streams).toHaveLength(3))
    await tick()
    streams[0]!.end()
    streams[1]!.destroy()
    stops[2]!()
    await vi.waitFor(() => expect(ended.slice(0, 2).map(({ mock }) => mock.calls.length)).toEqual([1, 1]))
    await tick()
    expect(ended[2]).not.toHaveBeenCalled()
  })

  test('a server that refuses by an HTTP status is an end', async () => {
    const { url } = await serveByHand((_, res) => void res.writeHead(503).end())
    const client = createV2()
    silence(client)
    await client.connect(new StreamableHTTPClientTransport(url))
    const onEnd = vi.fn<() => void>()
    fromClient(client).listen!(['one'], onEnd)
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce())
  })

  test('while pushes come there is no end', async () => {
    const { client, server } = await connectToTasks()
    server.create('one')
    const connection = fromClient(client)
    const pushed = vi.fn<(params: object) => void>()
    connection.onNotification('notifications/tasks', pushed)
    const onEnd = vi.fn<() => void>()
    const stop = connection.listen!(['one'], onEnd)
    await vi.waitFor(() => expect(server.listening.size).toBe(1))
    for (const statusMessage of ['a', 'b', 'c']) server.change('one', { statusMessage })
    await vi.waitFor(() => expect(pushed).toHaveBeenCalledTimes(3))
    expect(onEnd).not.toHaveBeenCalled()
    stop()
    await vi.waitFor(() => expect(server.listening.size).toBe(0))
    expect(onEnd).not.toHaveBeenCalled()
  })
})
