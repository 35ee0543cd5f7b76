import { createTaskRunner } from '@mcp-task-machine/core'
import { describe, expect, test } from 'vitest'
import { connectToAsker, tick } from './fixtures/asker.ts'

const hooks = (transport: object) =>
  ['send', 'onmessage', 'onclose'].map((key) => Object.getOwnPropertyDescriptor(transport, key))

describe.each(['SDK 2.x', 'SDK 1.x'] as const)('with %s', (kind) => {
  test('a run whose result does not name its task leaves no progress token, and the transport as it was', async () => {
    const { peer, connection } = await connectToAsker(kind)
    const bare = hooks(peer.transport)
    const runner = createTaskRunner({ connection, tool: 'work' })
    peer.answers['tools/call'] = () => ({ result: { task: { taskId: 't', status: 'input_required' } } })
    peer.answers['tasks/result'] = () => ({ result: { content: [] } })
    await runner.fire()
    await runner.result()
    runner.dispose()
    await tick()
    expect(hooks(peer.transport)).toEqual(bare)
  })

  test('a run that is disposed while its task goes on leaves the transport as it was', async () => {
    const { peer, connection } = await connectToAsker(kind)
    const bare = hooks(peer.transport)
    const runner = createTaskRunner({ connection, tool: 'work' })
    await runner.fire()
    runner.dispose()
    await tick()
    expect(hooks(peer.transport)).toEqual(bare)
  })

  test('a run that is disposed while its result is fetched early gives that request up', async () => {
    const { peer, connection } = await connectToAsker(kind)
    const runner = createTaskRunner({ connection, tool: 'work' })
    peer.answers['tools/call'] = () => ({ result: { task: { taskId: 't', status: 'input_required' } } })
    peer.answers['tasks/result'] = () => 'none'
    await runner.fire()
    await tick()
    const [fetch] = peer.sent('tasks/result')
    runner.dispose()
    await tick()
    expect(peer.sent('notifications/cancelled').map(({ params }) => params.requestId)).toEqual([fetch.id])
  })

  test('a list of tools that never ends is not read for ever', async () => {
    const { peer, connection } = await connectToAsker(kind)
    let pages = 0
    peer.answers['tools/list'] = async () => {
      if (++pages % 100 === 0) await tick()
      // An end, so that this test has one.
      return { result: { tools: [], ...(pages < 20_000 && { nextCursor: `page ${pages}` }) } }
    }
    await connection.taskSupport('work').catch(() => {})
    expect(pages).toBeLessThanOrEqual(1000)
  })
})
