import { fromClient } from '@mcp-task-machine/core/mcp'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test, vi } from 'vitest'
import { createV1, createV2Legacy } from './fixtures/clients.ts'
import { all } from './fixtures/legacy.ts'
import { AUGMENTED, createPeer } from './fixtures/peer.ts'

test.each(all)('the tools of a real server say what they support, with %s %s', async (_, __, connect) => {
  const { client } = await connect()
  const connection = fromClient(client)
  expect(await Promise.all(['must', 'work', 'greet', 'unknown'].map((tool) => connection.taskSupport(tool)))).toEqual([
    'required',
    'optional',
    'forbidden',
    'forbidden',
  ])
})

describe.each([
  ['SDK 2.x', createV2Legacy],
  ['SDK 1.x', createV1],
] as const)('with %s', (_, create) => {
  const tool = (name: string, taskSupport?: string) => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport && { execution: { taskSupport } }),
  })
  async function connect() {
    const peer = await createPeer('2025-11-25', { ...AUGMENTED, tools: { listChanged: true } })
    const client = create()
    await client.connect(peer.transport as never)
    return { peer, client, connection: fromClient(client) }
  }

  test('all pages are read, once, also for questions at the same time', async () => {
    const { peer, connection } = await connect()
    const pages: Record<string, object> = {
      first: { tools: [tool('a', 'required')], nextCursor: 'second' },
      second: { tools: [tool('b', 'optional')], nextCursor: 'third' },
      third: { tools: [tool('c', 'sometimes'), tool('d')] },
    }
    peer.answers['tools/list'] = ({ cursor = 'first' } = {}) => ({ result: pages[cursor] })
    const asked = ['a', 'b', 'c', 'd', 'e'].map((name) => connection.taskSupport(name))
    expect(await Promise.all(asked)).toEqual(['required', 'optional', 'forbidden', 'forbidden', 'forbidden'])
    expect(await connection.taskSupport('a')).toBe('required')
    expect(peer.sent('tools/list').map(({ params }) => params?.cursor)).toEqual([undefined, 'second', 'third'])
  })

  test('what a tool says of itself is read from the same list', async () => {
    const { peer, connection } = await connect()
    const meta = { retryPolicy: { maxAttempts: 3 }, 'example.com/cost': 'high' }
    const tools = [{ ...tool('a', 'required'), _meta: meta }, { ...tool('b'), _meta: meta }, tool('c')]
    peer.answers['tools/list'] = () => ({ result: { tools: [...tools, { ...tool('d'), _meta: 'x' }] } })
    const metas = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => connection.toolMeta!(name)))
    expect(metas).toEqual([meta, meta, undefined, undefined, undefined])
    expect(await Promise.all(['a', 'b'].map((name) => connection.taskSupport(name)))).toEqual(['required', 'forbidden'])
    expect(peer.sent('tools/list')).toHaveLength(1)
  })

  test('a list whose pages never end is read as far as it is new', async () => {
    const { peer, connection } = await connect()
    peer.answers['tools/list'] = () => ({ result: { tools: [tool('a', 'optional')], nextCursor: 'again' } })
    expect(await connection.taskSupport('a')).toBe('optional')
    expect(peer.sent('tools/list')).toHaveLength(2)
  })

  test('a change of the list is followed, and the app is told of it as before', async () => {
    const { peer, client, connection } = await connect()
    const told = vi.fn<(value?: any) => void>()
    if ('listen' in client) client.setNotificationHandler('notifications/tools/list_changed', told)
    else client.setNotificationHandler(ToolListChangedNotificationSchema, told)
    peer.answers['tools/list'] = () => ({ result: { tools: [tool('a')] } })
    expect(await connection.taskSupport('a')).toBe('forbidden')
    peer.answers['tools/list'] = () => ({ result: { tools: [tool('a', 'required')] } })
    expect(await connection.taskSupport('a')).toBe('forbidden')
    await peer.notify('notifications/tools/list_changed')
    expect(await connection.taskSupport('a')).toBe('required')
    expect(told).toHaveBeenCalledOnce()
  })

  test('a failure is not remembered', async () => {
    const { peer, connection } = await connect()
    peer.answers['tools/list'] = () => ({ error: { code: -32603, message: 'not now' } })
    const [one, two] = [connection.taskSupport('a'), connection.taskSupport('a')]
    await expect(one).rejects.toMatchObject({ reason: 'answer', code: -32603, message: 'not now' })
    await expect(two).rejects.toMatchObject({ code: -32603 })
    peer.answers['tools/list'] = () => ({ result: { tools: [tool('a', 'required')] } })
    expect(await connection.taskSupport('a')).toBe('required')
    expect(peer.sent('tools/list')).toHaveLength(2)
  })

  test('another connection of the client is asked anew', async () => {
    const { peer, client, connection } = await connect()
    peer.answers['tools/list'] = () => ({ result: { tools: [tool('a', 'required')] } })
    expect(await connection.taskSupport('a')).toBe('required')
    await client.close()
    await expect(connection.taskSupport('a')).rejects.toMatchObject({ reason: 'not-connected' })
    const next = await createPeer('2025-11-25', AUGMENTED)
    next.answers['tools/list'] = () => ({ result: { tools: [tool('a')] } })
    await client.connect(next.transport as never)
    expect(await connection.taskSupport('a')).toBe('forbidden')
  })
})
