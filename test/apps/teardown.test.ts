import { describe, expect, test, vi } from 'vitest'
import { createFakeStorage } from '../../packages/core/test/support/fake-storage.ts'
import { modern, openView, watch } from './fixture.ts'

/** A view with a task that works. */
async function working() {
  const { client, server } = await modern()
  const tasks = new Set<string>()
  const view = await openView(client, { tasks })
  const { storage, entries } = createFakeStorage()
  const runner = watch({ connection: view.connection, tool: 'long', storage })
  const { task } = await runner.fire()
  return { ...view, client, server, tasks, storage, entries, runner, taskId: task.taskId! }
}

describe('when the host takes the view away', () => {
  test('it is answered at once, readers rest, the reference is kept, and nothing is cancelled', async () => {
    const { bridge, runner, of, entries, taskId } = await working()
    expect(await bridge.teardownResource({})).toEqual({})
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: 'connection', isStale: true })
    expect([...entries.values()].join()).toContain(taskId)
    expect(of('tasks/cancel')).toEqual([])
  })

  test('the view that comes back reads on; it calls no tool', async () => {
    const before = await working()
    await before.bridge.teardownResource({})
    await before.app.close()
    const { client, tasks, storage, server, taskId } = before
    const { connection, of } = await openView(client, { tasks })
    const runner = watch({ connection, tool: 'long', storage })
    await vi.waitFor(() => expect(of('tasks/get')).not.toEqual([]))
    server.change(taskId, { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } })
    expect(await runner.result()).toMatchObject({ data: 'done' })
    expect(of('tools/call')).toEqual([])
  })

  test("the app's own handler answers, after the readers rest", async () => {
    const { app, bridge, runner } = await working()
    const seen: unknown[] = []
    app.onteardown = () => {
      seen.push(runner.getSnapshot().detachedBecause)
      return { said: 'bye' }
    }
    expect(await bridge.teardownResource({})).toEqual({ said: 'bye' })
    expect(seen).toEqual(['connection'])
  })

  test('a listener that fails keeps nobody from hearing of it', async () => {
    const { app, bridge, connection } = await working()
    const errors: unknown[] = []
    Object.assign(app, { onerror: (error: unknown) => errors.push(error) })
    connection.onClose(() => {
      throw new Error('mine')
    })
    const heard = vi.fn<(reason: unknown) => void>()
    connection.onClose(heard)()
    const stop = connection.onClose(heard)
    expect(await bridge.teardownResource({})).toEqual({})
    expect(heard).toHaveBeenCalledTimes(1)
    expect(errors).toMatchObject([{ message: 'mine' }])
    stop()
  })
})
