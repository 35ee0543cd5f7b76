import { useTask, useTaskGroup, type Task, type TaskGroup } from '@mcp-task-machine/react'
import { Activity, Fragment, StrictMode, act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, snapshot } from '../../packages/core/test/support/fake-connection.ts'

;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true

// <Activity> came with React 19.2.
describe.each([
  ['plain', Fragment],
  ['Strict Mode', StrictMode],
] as const)('React (%s): <Activity>', (_, Mode) => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test.each([undefined, 'report'])(
    'what is hidden rests, and goes on when it is shown again (key: %s)',
    async (key) => {
      const connection = createFakeConnection()
      connection.on('tools/call', () => handle())
      connection.on('tasks/get', () => snapshot())
      let task!: Task
      function Panel() {
        task = useTask('start_research', { connection, key })
        return <p>{task.phase}</p>
      }
      const container = document.createElement('div')
      const root = createRoot(container)
      const show = (mode: 'visible' | 'hidden') =>
        act(async () =>
          root.render(
            <Mode>
              <Activity mode={mode}>
                <Panel />
              </Activity>
            </Mode>,
          ),
        )
      const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
      await show('visible')
      await act(async () => void task.fire())
      await later(1000)
      await show('hidden')
      await later(0)
      const before = connection.count('tasks/get')
      await later(60_000)
      expect(connection.count('tasks/get')).toBe(before)
      connection.on('tasks/get', () => completed())
      await show('visible')
      await later(1000)
      expect(container.textContent).toBe('completed')
      expect(connection.count('tools/call')).toBe(1)
      await act(async () => root.unmount())
    },
  )

  test('a group that is hidden rests, and goes on when it is shown again', async () => {
    const connection = createFakeConnection()
    connection.on('tools/call', () => handle())
    connection.on('tasks/get', () => snapshot())
    let group!: TaskGroup
    function Bookings() {
      group = useTaskGroup({ connection })
      return <p>{group.views.map(({ phase }) => phase)}</p>
    }
    const container = document.createElement('div')
    const root = createRoot(container)
    const show = (mode: 'visible' | 'hidden') =>
      act(async () =>
        root.render(
          <Mode>
            <Activity mode={mode}>
              <Bookings />
            </Activity>
          </Mode>,
        ),
      )
    const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
    await show('visible')
    await act(async () => void group.fire('book_trip'))
    await show('hidden')
    await later(0)
    const before = connection.count('tasks/get')
    await later(60_000)
    expect(connection.count('tasks/get')).toBe(before)
    connection.on('tasks/get', () => completed())
    await show('visible')
    await later(2000)
    expect(container.textContent).toBe('completed')
    await act(async () => root.unmount())
  })
})
