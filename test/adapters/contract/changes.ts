import type { TaskView } from '@mcp-task-machine/core'
import { describe, expect, test, vi } from 'vitest'
import { completed, snapshot, toolResult } from '../../../packages/core/test/support/fake-connection.ts'
import type { Driver } from '../driver.ts'
import { createServer, minutes, nothing, one, tool, passing, withFakeTime } from './support.ts'

/** What a component is given changes, or the component goes. */
export function describeChanges(name: string, driver: Driver): void {
  const { mount, act } = driver
  const later = passing(driver)

  describe(`${name}: changing and unmounting`, () => {
    withFakeTime()

    test('another tool begins anew, and the old task is left to itself', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      await page.update({ connection, parts: [{ id: 'a', tool: 'book_trip' }] })
      expect(page.text('a')).toBe('idle')
      const before = connection.count('tasks/get')
      await later(5000)
      expect(connection.count('tasks/get')).toBe(before)
      await act(() => page.task('a').fire())
      expect(connection.last('tools/call').params).toMatchObject({ name: 'book_trip' })
      expect(connection.count('tasks/cancel')).toBe(0)
      await page.unmount()
    })

    test('another connection to the same endpoint goes on with the run', async () => {
      const [old, next] = [createServer(), createServer()]
      const page = await mount(one(old))
      await act(() => page.task('a').fire())
      const { runner } = page.task('a')
      await act(() => old.close())
      await page.update(one(next))
      await later(2000)
      expect(page.task('a').runner).toBe(runner)
      expect([old.count('tools/call'), next.count('tools/call')]).toEqual([1, 0])
      expect(next.count('tasks/get')).toBeGreaterThan(0)
      expect(page.task('a').view).toMatchObject({ phase: 'working', detachedBecause: null })
      await page.unmount()
      expect([old.listeners, vi.getTimerCount()]).toEqual([0, 0])
    })

    test.each([
      ['to another endpoint', { endpoint: 'https://other.example/mcp' }],
      ['of another principal', { principal: 'bob' }],
    ])('a connection %s begins anew', async (_, other) => {
      const [old, next] = [createServer(), createServer(other)]
      const page = await mount(one(old))
      await act(() => page.task('a').fire())
      await page.update(one(next))
      expect(page.text('a')).toBe('idle')
      await act(() => page.task('a').fire())
      expect([old.count('tools/call'), next.count('tools/call')]).toEqual([1, 1])
      expect(JSON.stringify(next.sent)).not.toContain('"taskId"')
      await page.unmount()
      expect(vi.getTimerCount()).toBe(0)
    })

    test('unmounting stops the reading and leaves no timer; the task is not cancelled', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      await later(1000)
      await page.unmount()
      await vi.advanceTimersByTimeAsync(0)
      expect(vi.getTimerCount()).toBe(0)
      const before = connection.wire.length
      await vi.advanceTimersByTimeAsync(10 * minutes)
      expect(connection.wire.length).toBe(before)
      expect(connection.count('tasks/cancel')).toBe(0)
    })

    test('a run that has ended leaves nothing behind', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      connection.on('tasks/get', () => completed())
      await later(1000)
      await page.unmount()
      expect([connection.listeners, vi.getTimerCount()]).toEqual([0, 0])
    })

    test('unmounting cancels, or reads on, where that was asked for', async () => {
      const connection = createServer()
      const cancelling = await mount(one(connection, { onUnmount: 'cancel' }))
      await act(() => cancelling.task('a').fire())
      await cancelling.unmount()
      await vi.advanceTimersByTimeAsync(0)
      expect(connection.count('tasks/cancel')).toBe(1)

      const settled: string[] = []
      const onSettled = ({ phase }: TaskView) => settled.push(phase)
      const keeping = await mount(one(connection, { onUnmount: 'keep', onSettled }))
      await act(() => keeping.task('a').fire())
      await keeping.unmount()
      connection.on('tasks/get', ({ taskId }) => snapshot('completed', { taskId, result: toolResult() }))
      await vi.advanceTimersByTimeAsync(2000)
      expect(settled).toEqual(['completed'])
    })

    test('a component that waits for the result has it, whatever is unmounted meanwhile', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const { runner } = page.task('a')
      await act(() => page.task('a').fire())
      const outcome = runner.result()
      await page.update(nothing(connection))
      connection.on('tasks/get', () => completed('60 tiles'))
      await later(2000)
      expect((await outcome).data).toBe('60 tiles')
      await page.unmount()
    })

    test('without a provider it says what was expected; with a connection of its own it needs none', async () => {
      const connection = createServer()
      vi.spyOn(console, 'error').mockReturnValue()
      vi.spyOn(console, 'warn').mockReturnValue()
      await expect(mount({ parts: [{ id: 'a', tool }] })).rejects.toThrow(/^Expected useTask/)
      await expect(mount({ parts: [{ id: 's', listener: () => {} }] })).rejects.toThrow(/^Expected useDataSync/)
      const page = await mount({ parts: [{ id: 'a', tool, options: { connection } }] })
      await act(() => page.task('a').fire())
      expect(page.text('a')).toBe('working')
      await page.unmount()
    })
  })
}
