import type { JsonObject, TaskVerbs, TaskView } from '@mcp-task-machine/core'
import { describe, expect, test, vi } from 'vitest'
import {
  completed,
  snapshot,
  toolResult,
  type FakeConnection,
} from '../../../packages/core/test/support/fake-connection.ts'
import type { Driver, Page } from '../driver.ts'
import { createServer, minutes, nothing, one, tool, passing, withFakeTime } from './support.ts'

/** Several components, at once or one after another, and one task. */
export function describeSharing(name: string, driver: Driver): void {
  const { mount, act } = driver
  const later = passing(driver)

  describe(`${name}: a task shared by its key`, () => {
    withFakeTime()

    const key = 'report'
    const two = (connection: FakeConnection, options: JsonObject = {}): Page => ({
      connection,
      parts: [
        { id: 'a', tool, options: { key, ...options } },
        { id: 'b', tool, options: { key } },
      ],
    })

    test('one call, shown by all of them', async () => {
      const connection = createServer()
      const page = await mount(two(connection))
      expect(page.task('a').runner).toBe(page.task('b').runner)
      await act(() => page.task('b').fire())
      expect([page.text('a'), page.text('b')]).toEqual(['working', 'working'])
      await later(1000)
      expect(connection.wire).toEqual(['tools/call', 'tasks/get'])
      await page.unmount()
    })

    test.each(['first', 'last'])('called while it is mounted, by the %s of them', async (which) => {
      const connection = createServer()
      let isCalled = false
      const early = (task: TaskVerbs<JsonObject, unknown>) => {
        if (!isCalled) void task.fire()
        isCalled = true
      }
      const caller = which === 'first' ? 'a' : 'c'
      const parts = ['a', 'b', 'c'].map((id) => ({ id, tool, options: { key }, ...(id === caller && { early }) }))
      const page = await mount({ connection, parts })
      await later(1000)
      expect(['a', 'b', 'c'].map((id) => page.text(id))).toEqual(['working', 'working', 'working'])
      expect(page.task('a').runner).toBe(page.task('c').runner)
      expect(connection.wire).toEqual(['tools/call', 'tasks/get'])
      await page.unmount()
    })

    test('all of them hear that it settled', async () => {
      const connection = createServer()
      const heard: string[] = []
      const part = (id: string) => ({ id, tool, options: { key, onSettled: () => heard.push(id) } })
      const page = await mount({ connection, parts: [part('a'), part('b')] })
      await act(() => page.task('a').fire())
      connection.on('tasks/get', () => completed())
      await later(1000)
      expect(heard).toEqual(['a', 'b'])
      await page.unmount()
    })

    test('shown where it stands by who comes later, and read on when the first has gone', async () => {
      const connection = createServer()
      const [a, b] = two(connection).parts as [Page['parts'][0], Page['parts'][0]]
      const page = await mount({ connection, parts: [a] })
      await act(() => page.task('a').fire())
      await page.update({ connection, parts: [a, b] })
      expect(page.text('b')).toBe('working')
      await page.update({ connection, parts: [b] })
      connection.on('tasks/get', () => completed())
      await later(1000)
      expect(page.text('b')).toBe('completed')
      expect(connection.count('tools/call')).toBe(1)
      await page.unmount()
    })

    test('moving it to another component in one step loses no read', async () => {
      const connection = createServer()
      const [a, b] = two(connection).parts as [Page['parts'][0], Page['parts'][0]]
      const page = await mount({ connection, parts: [a] })
      await act(() => page.task('a').fire())
      const { runner } = page.task('a')
      const rests: unknown[] = []
      ;(runner.actor as { subscribe(listener: () => void): void }).subscribe(() =>
        rests.push(runner.getSnapshot().detachedBecause),
      )
      await page.update({ connection, parts: [b] })
      await later(1000)
      expect(page.task('b').runner).toBe(runner)
      expect(rests).not.toContain('unmounted')
      expect(connection.count('tasks/get')).toBe(1)
      await page.unmount()
    })

    test('navigating away and back finds the run, however long it took', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { key }))
      await act(() => page.task('a').fire())
      await page.update(nothing(connection))
      await later(20 * minutes)
      connection.on('tasks/get', () => completed('60 tiles'))
      await page.update(one(connection, { key }))
      await later(2000)
      expect(page.text('a')).toBe('completed')
      expect(connection.count('tools/call')).toBe(1)
      await page.unmount()
    })

    test('a run that ended is kept for five minutes after it was last watched, and no longer', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { key }))
      await act(() => page.task('a').fire())
      connection.on('tasks/get', () => completed('60 tiles'))
      await later(1000)
      await later(20 * minutes)
      await page.update(nothing(connection))
      await later(5 * minutes - 1)
      await page.update(one(connection, { key }))
      expect(page.text('a')).toBe('completed')
      await page.update(nothing(connection))
      await later(5 * minutes)
      expect(vi.getTimerCount()).toBe(0)
      await page.update(one(connection, { key }))
      expect(page.text('a')).toBe('idle')
      await page.unmount()
    })

    test('whoever follows the runner itself keeps it too', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { key }))
      await act(() => page.task('a').fire())
      const { runner } = page.task('a')
      connection.on('tasks/get', () => completed())
      await later(1000)
      const follower = { id: 'v', runner, selector: (view: TaskView) => view.phase }
      await page.update({ connection, parts: [follower] })
      await later(20 * minutes)
      await page.update({ connection, parts: [follower, ...one(connection, { key }).parts] })
      expect([page.text('a'), page.text('v')]).toEqual(['completed', 'completed'])
      await page.unmount()
    })

    test('the five minutes begin at the end of a run that nobody watched', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { key, onUnmount: 'keep' }))
      await act(() => page.task('a').fire())
      await page.update(nothing(connection))
      await later(20 * minutes)
      connection.on('tasks/get', () => completed())
      await later(4 * minutes)
      await page.update(one(connection, { key }))
      expect(page.text('a')).toBe('completed')

      connection.on('tasks/get', ({ taskId }) => snapshot('working', { taskId }))
      await act(() => page.task('a').fire())
      await page.update(nothing(connection))
      connection.on('tasks/get', ({ taskId }) => snapshot('completed', { taskId, result: toolResult() }))
      await later(6 * minutes)
      await page.update(one(connection, { key }))
      expect(page.text('a')).toBe('idle')
      await page.unmount()
    })

    test('a key is for one tool', async () => {
      const connection = createServer()
      vi.spyOn(console, 'error').mockReturnValue()
      vi.spyOn(console, 'warn').mockReturnValue()
      const parts = [
        { id: 'a', tool, options: { key } },
        { id: 'b', tool: 'book_trip', options: { key } },
      ]
      await expect(mount({ connection, parts })).rejects.toThrow(/^Expected one tool per `key`/)
    })

    test('a key is for one connection, and goes along to the next one to the same endpoint', async () => {
      const [first, second, next] = [createServer(), createServer(), createServer()]
      const page = await mount(one(first, { key }))
      const other = await mount(one(second, { key }))
      expect(other.task('a').runner).not.toBe(page.task('a').runner)
      await act(() => page.task('a').fire())
      const { runner } = page.task('a')
      await page.update(one(next, { key }))
      await page.update(nothing(next))
      await page.update(one(next, { key }))
      expect(page.task('a').runner).toBe(runner)
      await page.unmount()
      await other.unmount()
    })

    test('another key is another run', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { key }))
      await act(() => page.task('a').fire())
      await page.update(one(connection, { key: 'other' }))
      expect(page.text('a')).toBe('idle')
      await page.update(one(connection, { key }))
      expect(page.text('a')).toBe('working')
      await page.unmount()
    })

    test('a disposed runner is not found again', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { key }))
      const { runner } = page.task('a')
      await page.update(nothing(connection))
      runner.dispose()
      await page.update(one(connection, { key }))
      await act(() => page.task('a').fire())
      expect(page.text('a')).toBe('working')
      await page.unmount()
    })
  })
}
