import { fromClient } from '@mcp-task-machine/core/mcp'
import { describe, expect, test, vi } from 'vitest'
import { createV1, createV2, createV2Legacy, silence } from './fixtures/clients.ts'
import { connectInMemory, connectOverHttp, kinds } from './fixtures/legacy.ts'
import { modernTransports } from './fixtures/modern.ts'
import { AUGMENTED, createPeer, TASKS } from './fixtures/peer.ts'

type Json = Record<string, any>
type Version = '2026-07-28' | '2025-11-25'

const peers = [
  ['2026-07-28 and SDK 2.x', '2026-07-28', createV2],
  ['2025-11-25 and SDK 2.x', '2025-11-25', createV2Legacy],
  ['2025-11-25 and SDK 1.x', '2025-11-25', createV1],
] as const

async function connectToPeer(version: Version, create: () => any) {
  const peer = await createPeer(version, version === '2026-07-28' ? TASKS : AUGMENTED)
  const client = create()
  const errors: Error[] = []
  Object.assign(client, { onerror: (error: Error) => errors.push(error) })
  await client.connect(peer.transport)
  const progress = (progressToken: unknown, value: number) =>
    peer.notify('notifications/progress', { progressToken, progress: value })
  return { peer, client, errors, connection: fromClient(client), progress }
}

test.each(Object.entries(modernTransports))('progress of a call comes over %s', async (_, transport) => {
  const client = createV2()
  await client.connect(await transport())
  const seen: Json[] = []
  const result = await fromClient(client).request('tools/call', { name: 'steps' }, { onProgress: (p) => seen.push(p) })
  expect(result).toMatchObject({ content: [{ text: 'token number' }] })
  expect(seen).toMatchObject([
    { progress: 1, total: 3 },
    { progress: 2, total: 3 },
    { progress: 3, total: 3 },
  ])
})

describe.each(peers)('%s', (_, version, create) => {
  const plain = { resultType: 'complete', content: [] }
  const modern = version === '2026-07-28'
  const handle = modern ? { resultType: 'task', taskId: 't', status: 'working' } : { task: { taskId: 't' } }

  test('no token is sent unless progress is asked for', async () => {
    const { peer, connection } = await connectToPeer(version, create)
    peer.answers['tools/call'] = () => ({ result: plain })
    await connection.request('tools/call', { name: 'x' })
    await connection.request('tools/call', { name: 'x' }, { onProgress: () => {} })
    const [without, asked] = peer.sent('tools/call')
    expect(without.params._meta?.progressToken).toBeUndefined()
    expect(asked.params._meta.progressToken).toBe(asked.id)
  })

  test('each progress starts the timeout anew', async () => {
    const { peer, connection, progress } = await connectToPeer(version, create)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      let id = -1
      peer.answers['tools/call'] = (_params, requestId) => {
        id = requestId
        return 'none'
      }
      const open = connection.request('tools/call', { name: 'x' }, { timeout: 1000, onProgress: () => {} })
      const settled = vi.fn<(value?: any) => void>()
      open.then(settled, settled)
      for (let round = 1; round <= 3; round++) {
        await vi.advanceTimersByTimeAsync(900)
        await progress(id, round)
      }
      await vi.advanceTimersByTimeAsync(900)
      expect(settled).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(100)
      await expect(open).rejects.toMatchObject({ reason: 'timeout' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('progress that comes together with the answer is delivered', async () => {
    const { peer, connection, progress } = await connectToPeer(version, create)
    peer.answers['tools/call'] = async (_params, id) => {
      await progress(id, 99)
      return { result: plain }
    }
    const seen: Json[] = []
    await connection.request('tools/call', { name: 'x' }, { onProgress: (p) => seen.push(p) })
    expect(seen).toEqual([{ progressToken: expect.any(Number), progress: 99 }])
  })

  test('progress with a token of nobody, or as text, harms nothing', async () => {
    const { peer, connection, progress } = await connectToPeer(version, create)
    const seen: Json[] = []
    peer.answers['tools/call'] = async (_params, id) => {
      await progress('tool-call-7', 1)
      await progress(`${id}`, 2)
      return { result: plain }
    }
    await connection.request('tools/call', { name: 'x' }, { onProgress: (p) => seen.push(p) })
    expect(seen.map((p) => p.progress)).toEqual([2])
  })

  test('what a progress listener throws is reported like the error of any handler', async () => {
    const { peer, connection, errors, progress } = await connectToPeer(version, create)
    peer.answers['tools/call'] = async (_params, id) => {
      await progress(id, 1)
      return { result: plain }
    }
    const onProgress = () => {
      throw new Error('no')
    }
    expect(await connection.request('tools/call', { name: 'x' }, { onProgress })).toBe(plain)
    expect(errors.map(({ message }) => message)).toContain('no')
  })

  test(`progress after the handle ${modern ? 'is over' : 'goes on, and is no error'}`, async () => {
    const { peer, connection, errors, progress } = await connectToPeer(version, create)
    let id = -1
    peer.answers['tools/call'] = (_params, requestId) => {
      id = requestId
      return { result: handle }
    }
    const seen: unknown[] = []
    await connection.request('tools/call', { name: 'x' }, { onProgress: (p) => seen.push(p.progress) })
    await progress(id, 1)
    await progress(id, 2)
    expect(seen).toEqual(modern ? [] : [1, 2])
    expect(errors).toHaveLength(modern ? 2 : 0)
  })

  test('progress after an ordinary answer is over', async () => {
    const { peer, connection, progress } = await connectToPeer(version, create)
    let id = -1
    peer.answers['tools/call'] = (_params, requestId) => {
      id = requestId
      return { result: plain }
    }
    const onProgress = vi.fn<(value?: any) => void>()
    await connection.request('tools/call', { name: 'x' }, { onProgress })
    await progress(id, 1)
    expect(onProgress).not.toHaveBeenCalled()
  })
})

describe.each(kinds)('2025-11-25 against a real server with %s', (kind) => {
  test('progress of a task is delivered as long as the task runs', async () => {
    const { client, works } = await connectInMemory(kind)
    const seen: unknown[] = []
    const params = { name: 'work', arguments: {}, task: {} }
    const { task } = (await fromClient(client).request('tools/call', params, {
      onProgress: (p) => seen.push(p.progress),
    })) as Json
    const work = works.get(task.taskId)!
    for (const step of [1, 2, 3]) await work.progress(step)
    expect(seen).toEqual([1, 2, 3])
  })

  test.each(['read', 'pushed', 'told by its result'])(
    'progress of a task whose end was %s is not told',
    async (way) => {
      const peer = await createPeer('2025-11-25', AUGMENTED)
      const client = kind === 'SDK 1.x' ? createV1() : createV2Legacy()
      silence(client)
      await client.connect(peer.transport as never)
      const connection = fromClient(client)
      const call = async (taskId: string) => {
        peer.answers['tools/call'] = () => ({ result: { task: { taskId, status: 'working' } } })
        const onProgress = vi.fn<(value?: any) => void>()
        await connection.request('tools/call', { name: 'x' }, { onProgress })
        return { onProgress, progressToken: peer.sent('tools/call').at(-1).id }
      }
      const [ended, other] = [await call('ended'), await call('other')]
      const snapshot = { taskId: 'ended', status: 'completed' }
      peer.answers['tasks/get'] = () => ({ result: snapshot })
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'ended' } }
      peer.answers['tasks/result'] = () => ({ result: { content: [], _meta } })
      if (way === 'read') await connection.request('tasks/get', { taskId: 'ended' })
      else if (way === 'pushed') await peer.notify('notifications/tasks/status', snapshot)
      else await connection.request('tasks/result', { taskId: 'ended' })
      for (const { progressToken } of [ended, other])
        await peer.notify('notifications/progress', { progressToken, progress: 1 })
      expect(ended.onProgress).not.toHaveBeenCalled()
      expect(other.onProgress).toHaveBeenCalledOnce()
    },
  )

  test('progress of a plain call comes over HTTP', async () => {
    const { client } = await connectOverHttp(kind)
    const seen: unknown[] = []
    await fromClient(client).request('tools/call', { name: 'steps' }, { onProgress: (p) => seen.push(p.progress) })
    expect(seen).toEqual([1, 2, 3])
  })

  test('of the answered calls the last thousand keep their token', async () => {
    const peer = await createPeer('2025-11-25', AUGMENTED)
    const client = kind === 'SDK 1.x' ? createV1() : createV2Legacy()
    await client.connect(peer.transport as never)
    const connection = fromClient(client)
    peer.answers['tools/call'] = (_params, id) => ({ result: { task: { taskId: `${id}` } } })
    const seen: number[] = []
    for (let i = 0; i <= 1000; i++)
      await connection.request('tools/call', { name: 'x' }, { onProgress: () => seen.push(i) })
    const [first, second] = peer.sent('tools/call')
    await peer.notify('notifications/progress', { progressToken: first.id, progress: 1 })
    await peer.notify('notifications/progress', { progressToken: second.id, progress: 1 })
    expect(seen).toEqual([1])
  })
})
