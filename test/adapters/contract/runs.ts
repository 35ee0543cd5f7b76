import type { TaskReference, TaskView } from '@mcp-task-machine/core'
import { describe, expect, test, vi } from 'vitest'
import {
  accepted,
  completed,
  elicitation,
  handle,
  snapshot,
  toolResult,
} from '../../../packages/core/test/support/fake-connection.ts'
import type { Driver } from '../driver.ts'
import { createServer, one, passing, tool, withFakeTime } from './support.ts'

/** One component drives one task. */
export function describeRuns(name: string, driver: Driver): void {
  const { mount, act } = driver
  const later = passing(driver)

  describe(`${name}: a task of one component`, () => {
    withFakeTime()

    test('rendering sends nothing, arms nothing, and shows idle', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      expect(page.text('a')).toBe('idle')
      expect([connection.wire, connection.listeners, vi.getTimerCount()]).toEqual([[], 0, 0])
      await page.unmount()
    })

    test('one click is one call, followed to its end', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire({ query: 'tides' }))
      expect(page.text('a')).toBe('working')
      connection.on('tasks/get', () => snapshot('working', { _meta: {}, progress: 1 }))
      await later(1000)
      connection.on('tasks/get', () => completed('60 tiles'))
      await later(1000)
      expect(page.text('a')).toBe('completed')
      expect(page.task('a').view.result?.data).toBe('60 tiles')
      expect(connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/get'])
      expect(connection.sent[0]!.params).toMatchObject({ name: tool, arguments: { query: 'tides' } })
      await page.unmount()
    })

    test('gives the view of the runner, field by field', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      const { view, runner } = page.task('a')
      for (const [key, value] of Object.entries(runner.getSnapshot())) expect(view[key as keyof TaskView]).toBe(value)
      await page.unmount()
    })

    test('a failed call shows its error, and can be run again', async () => {
      const connection = createServer()
      connection.on('tools/call', () => toolResult('No such source.', { isError: true }))
      const page = await mount(one(connection))
      await act(() => page.task('a').fire({ query: 'tides' }))
      expect(page.text('a')).toBe('failed  tool')
      connection.on('tools/call', () => handle())
      await act(() => page.task('a').retry())
      expect(page.text('a')).toBe('working')
      expect(connection.last('tools/call').params).toMatchObject({ arguments: { query: 'tides' } })
      await page.unmount()
    })

    test('cancelling is shown until the server has said how it ends', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      await act(() => page.task('a').cancel())
      expect(page.text('a')).toBe('cancelling')
      connection.on('tasks/get', () => snapshot('cancelled'))
      await later(1000)
      expect(page.text('a')).toBe('cancelled  cancelled')
      await page.unmount()
    })

    test('a prompt is shown and answered', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      connection.on('tasks/get', () => snapshot('input_required', { inputRequests: { why: elicitation() } }))
      await later(1000)
      expect(page.text('a')).toBe('input_required')
      expect(Object.keys(page.task('a').view.inputRequests)).toEqual(['why'])
      connection.on('tasks/get', () => snapshot())
      await act(() => page.task('a').respond({ why: accepted }))
      expect(page.text('a')).toBe('working')
      expect(connection.last('tasks/update').params).toMatchObject({ inputResponses: { why: accepted } })
      await page.unmount()
    })

    test('detach, resume, refresh, adopt and reset', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').adopt(handle({ taskId: 'tk-9' })))
      await act(() => page.task('a').detach())
      expect(page.task('a').view.detachedBecause).toBe('asked')
      await act(() => page.task('a').resume())
      expect(page.task('a').view.detachedBecause).toBeNull()
      const before = connection.count('tasks/get')
      await act(() => vi.advanceTimersByTimeAsync(400).then(() => page.task('a').refresh()))
      expect(connection.count('tasks/get')).toBe(before + 1)
      let reference: TaskReference | null = null
      await act(() => (reference = page.task('a').reset()))
      expect(reference).toMatchObject({ taskId: 'tk-9' })
      expect(page.text('a')).toBe('idle')
      expect(connection.count('tools/call')).toBe(0)
      await page.unmount()
    })

    test('renders for what is visible, and for nothing else', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      await act(() => page.task('a').fire())
      const before = page.renders('a')
      await later(1000)
      await later(5000)
      expect(connection.count('tasks/get')).toBeGreaterThan(3)
      expect(page.renders('a')).toBe(before)
      connection.on('tasks/get', () => snapshot('working', { statusMessage: 'Reading source 3 of 9.' }))
      await later(1000)
      expect(page.renders('a')).toBe(before + 1)
      await page.unmount()
    })

    test('gives the same object while nothing changes, and the same verbs and runner throughout', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const first = page.task('a')
      await page.update(one(connection))
      expect(page.task('a').itself).toBe(first.itself)
      await act(() => first.fire())
      const { fire, cancel, runner, view } = page.task('a')
      expect(view.phase).toBe('working')
      expect([fire, cancel, runner]).toEqual([first.fire, first.cancel, first.runner])
      await page.unmount()
    })

    test('a prompt, a settled run and an orphan reach the functions of the last render', async () => {
      const connection = createServer()
      const heard: string[] = []
      const functions = (version: string) => ({
        onInputRequired: async () => {
          heard.push(`asked ${version}`)
          return accepted
        },
        onSettled: ({ phase }: TaskView) => heard.push(`${phase} ${version}`),
        onOrphan: ({ taskId }: TaskReference) => heard.push(`${taskId} ${version}`),
      })
      const page = await mount(one(connection, functions('one')))
      const { runner } = page.task('a')
      await act(() => page.task('a').fire())
      await page.update(one(connection, functions('two')))
      connection.on('tasks/get', () => snapshot('input_required', { inputRequests: { why: elicitation() } }))
      await later(1000)
      await page.update(one(connection, functions('three')))
      await act(() => page.task('a').fire())
      await page.update(one(connection, functions('four')))
      connection.on('tasks/get', () => snapshot('completed', { taskId: 'tk-2', result: toolResult() }))
      await later(2000)
      expect(heard).toEqual(['asked two', 'tk-1 three', 'completed four'])
      expect(page.task('a').runner).toBe(runner)
      await page.unmount()
    })
  })
}
