import { expect, test, vi } from 'vitest'
import { createTaskRunner } from '../../src/index.ts'
import { hubOf } from '../../src/connection/hub.ts'
import { wrapped } from '../support/augmented.ts'
import { createFakeConnection, settle } from '../support/fake-connection.ts'
import { containedTests, ignore } from '../support/hostile.ts'
import { startCall } from './support.ts'

containedTests()

test('tasks whose last read is never answered are not kept in memory for ever once nobody follows them', async () => {
  const connection = createFakeConnection({ generation: '2025-11-25' })
  const follow = async (taskId: string) => {
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    ignore(runner.fire())
    await settle()
    await connection.last('tools/call').answer(wrapped({ taskId }))
    await vi.advanceTimersByTimeAsync(1000)
    runner.dispose()
  }
  for (let nth = 0; nth < 20; nth++) await follow(`tk-${nth}`)
  await vi.advanceTimersByTimeAsync(600_000)
  await follow('last')
  for (let nth = 0; nth < 20; nth++) expect(hubOf(connection).find(`tk-${nth}`)).toBeUndefined()
})

test.each([undefined, null, 'banana', 7, {}])(
  'a connection of someone else’s making says %j of a tool: it is not called as a task',
  async (support) => {
    const run = await startCall({}, { taskSupport: () => Promise.resolve(support as never) })
    expect(run.connection.last('tools/call').params).not.toHaveProperty('task')
  },
)
