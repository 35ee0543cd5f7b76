import { createTaskRunner } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectToAsker, form, tick, watchEscapes } from './fixtures/asker.ts'

watchEscapes(beforeEach, afterEach)

test.each(['SDK 2.x', 'SDK 1.x'] as const)(
  'two connections of one client follow the same task: what was answered in one is asked in the other no more, with %s',
  async (kind) => {
    const { client, ask, told, run } = await connectToAsker(kind)
    const { runner, taskId } = await run()
    const other = createTaskRunner({ connection: fromClient(client, { endpoint: 'other' }), tool: 'work' })
    other.subscribe(() => {})
    other.adopt({ task: { taskId, status: 'working', pollInterval: 60_000 } })
    await ask(1, form('Name?', taskId))
    const [key] = Object.keys(runner.getSnapshot().inputRequests)
    expect(Object.keys(other.getSnapshot().inputRequests)).toHaveLength(1)
    await runner.respond({ [key!]: { action: 'decline' } })
    await tick()
    expect(told(1)).toHaveLength(1)
    expect(other.getSnapshot().inputRequests).toEqual({})
    other.dispose()
  },
)
