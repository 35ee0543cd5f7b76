import { idleView, type TaskView, type UseTaskOptions } from '@mcp-task-machine/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFakeConnection, handle, type FakeConnection } from '../../packages/core/test/support/fake-connection.ts'
import type { Given } from '../adapters/driver.ts'

/** A page with one task and a group, rendered for one request. */
export interface Request {
  readonly connection: FakeConnection
  readonly tool: string
  readonly options?: UseTaskOptions | undefined
}

export interface Rendered {
  readonly html: string
  /** What `useTask` gave to the component. */
  readonly task: Pick<Given, 'runner' | 'fire'>
}

const tool = 'start_research'
export const workingView: TaskView = { ...idleView, phase: 'working', isIdle: false, isWorking: true }

export function createServer(): FakeConnection {
  const connection = createFakeConnection()
  connection.on('tools/call', () => handle())
  return connection
}

/** What every adapter promises about a server. */
export function describeServerRendering(name: string, render: (request: Request) => Promise<Rendered>): void {
  describe(`${name} on a server`, () => {
    const touch = vi.fn<() => never>()
    beforeEach(() => {
      vi.useFakeTimers()
      for (const storage of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, storage, { configurable: true, get: touch })
    })
    afterEach(() => {
      vi.useRealTimers()
      touch.mockReset()
      for (const storage of ['localStorage', 'sessionStorage']) Reflect.deleteProperty(globalThis, storage)
    })

    test('renders idle, sends nothing, arms nothing, listens to nothing and reads no storage', async () => {
      const connection = createServer()
      const { html } = await render({ connection, tool })
      expect(html).toContain('<p id="a">idle</p>')
      expect(html).toContain('<p id="g">empty</p>')
      await vi.advanceTimersByTimeAsync(60_000)
      expect([connection.wire, connection.listeners, vi.getTimerCount()]).toEqual([[], 0, 0])
      expect(touch).not.toHaveBeenCalled()
    })

    test('renders the view that it was given', async () => {
      const { html } = await render({ connection: createServer(), tool, options: { initialView: workingView } })
      expect(html).toContain('<p id="a">working</p>')
    })

    test('shares nothing between requests, whatever they have in common', async () => {
      const connection = createServer()
      const options = { key: 'report' }
      const first = await render({ connection, tool, options: { ...options, initialView: workingView } })
      await first.task.fire({ query: 'tides' })
      const second = await render({ connection, tool, options })
      expect(second.html).toContain('<p id="a">idle</p>')
      expect(second.task.runner).not.toBe(first.task.runner)
      expect(second.task.runner.getSnapshot()).toMatchObject({ phase: 'idle', task: null })
      await expect(render({ connection, tool: 'book_trip', options })).resolves.toMatchObject({})
      first.task.runner.dispose()
    })
  })
}
