import type { TaskView, UseTaskGroupOptions } from '@mcp-task-machine/core'
import { describe, expect, test, vi } from 'vitest'
import {
  accepted,
  elicitation,
  handle,
  snapshot,
  toolResult,
  type FakeConnection,
} from '../../../packages/core/test/support/fake-connection.ts'
import type { Driver, Page } from '../driver.ts'
import { createServer, passing, withFakeTime } from './support.ts'

/** ms after which a change is shown at the latest. */
const frame = 16

const complete = (connection: FakeConnection, ...ids: string[]) =>
  connection.on('tasks/get', ({ taskId }) =>
    ids.includes(taskId as string)
      ? snapshot('completed', { taskId, result: toolResult() })
      : snapshot('working', { taskId }),
  )
const toolsCalled = ({ sent }: FakeConnection) =>
  sent.filter(({ method }) => method === 'tools/call').map(({ params }) => params['name'])

/** What every adapter promises about a group, in whatever way its framework is used. */
export function describeGroups(name: string, driver: Driver): void {
  const { mount, act } = driver
  const later = passing(driver)
  const one = (connection: FakeConnection, group: UseTaskGroupOptions = {}): Page => ({
    connection,
    parts: [{ id: 'g', group }],
  })
  const fire = (page: Awaited<ReturnType<typeof mount>>, ...tools: string[]) =>
    act(async () => {
      for (const tool of tools) page.group('g').fire(tool)
      await vi.advanceTimersByTimeAsync(frame)
    })

  describe(`${name}: a group of one component`, () => {
    withFakeTime()

    test('rendering sends nothing, arms nothing, and shows no member', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      expect(page.text('g')).toBe('empty')
      expect(page.group('g').view).toMatchObject({ views: [], percent: null, counts: { working: 0 } })
      expect([connection.wire, connection.listeners, vi.getTimerCount()]).toEqual([[], 0, 0])
      await page.unmount()
    })

    test('members are fired together, limited together and settled together', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { maxConcurrent: 2 }))
      await fire(page, 'a', 'b', 'c')
      expect(page.text('g')).toBe('working working submitting')
      const settled = page.group('g').settled()
      complete(connection, 'tk-1', 'tk-2', 'tk-3')
      await later(5000)
      expect(page.text('g')).toBe('completed completed completed 100')
      expect(page.group('g').view.counts.completed).toBe(3)
      expect((await settled).map(({ phase }) => phase)).toEqual(['completed', 'completed', 'completed'])
      expect(toolsCalled(connection)).toEqual(['a', 'b', 'c'])
      await page.unmount()
    })

    test('one fails, one is cancelled, one asks and is answered: each shows how it stands', async () => {
      const connection = createServer()
      connection.on('tools/call', ({ name: tool }) =>
        tool === 'fails' ? toolResult('No.', { isError: true }) : handle({ taskId: tool }),
      )
      const page = await mount(one(connection))
      await fire(page, 'fails', 'asks')
      let slow!: { cancel(): Promise<void> }
      await act(() => void (slow = page.group('g').fire('slow')))
      connection.on('tasks/get', ({ taskId }) =>
        taskId === 'asks'
          ? snapshot('input_required', { taskId, inputRequests: { why: elicitation() } })
          : snapshot('working', { taskId }),
      )
      await later(1000)
      await act(() => slow.cancel())
      await later(frame)
      expect(page.text('g')).toBe('failed input_required cancelling 33.333333333333336')
      connection.on('tasks/get', ({ taskId }) => snapshot('cancelled', { taskId }))
      await later(2000)
      expect(page.group('g').view.counts).toMatchObject({ failed: 1, cancelled: 2 })
      await page.unmount()
    })

    test('cancelAll asks for each that runs', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { maxConcurrent: 2 }))
      await fire(page, 'a', 'b', 'c')
      await act(() => page.group('g').cancelAll())
      await later(frame)
      expect(page.text('g')?.split(' ').slice(0, 3)).toEqual(['cancelling', 'cancelling', 'cancelled'])
      expect([connection.count('tasks/cancel'), connection.count('tools/call')]).toEqual([2, 2])
      await page.unmount()
    })

    test('renders for what is visible, and gives the same object until then and the same verbs throughout', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const first = page.group('g')
      await page.update(one(connection))
      expect(page.group('g').itself).toBe(first.itself)
      await fire(page, 'a')
      const { view } = page.group('g')
      const before = page.renders('g')
      await later(5000)
      expect(connection.count('tasks/get')).toBeGreaterThan(1)
      expect([page.group('g').view.views, page.renders('g')]).toEqual([view.views, before])
      const { fire: call, settled, cancelAll } = page.group('g')
      expect([call, settled, cancelAll]).toEqual([first.fire, first.settled, first.cancelAll])
      await page.unmount()
    })

    test('what settles, and what is asked, reaches the functions of the last render', async () => {
      const connection = createServer()
      const heard: string[] = []
      const functions = (version: string) => ({
        onInputRequired: async () => {
          heard.push(`asked ${version}`)
          return accepted
        },
        onSettled: ({ phase }: TaskView) => heard.push(`${phase} ${version}`),
      })
      const page = await mount(one(connection, functions('one')))
      await fire(page, 'a')
      await page.update(one(connection, functions('two')))
      connection.on('tasks/get', ({ taskId }) =>
        snapshot('input_required', { taskId, inputRequests: { why: elicitation() } }),
      )
      await later(1000)
      await page.update(one(connection, functions('three')))
      complete(connection, 'tk-1')
      await later(2000)
      expect(heard).toEqual(['asked two', 'completed three'])
      await page.unmount()
    })

    test('unmounting lets its members go: nothing is read, cancelled or sent any more', async () => {
      const connection = createServer()
      const page = await mount(one(connection, { maxConcurrent: 1 }))
      await fire(page, 'a', 'b')
      const settled = page
        .group('g')
        .settled()
        .catch((error: unknown) => error)
      await page.update({ connection, parts: [] })
      await vi.advanceTimersByTimeAsync(0)
      expect(await settled).toMatchObject({ kind: 'superseded' })
      expect([connection.listeners, vi.getTimerCount()]).toEqual([0, 0])
      const before = connection.wire.length
      complete(connection, 'tk-1')
      await later(60_000)
      expect(connection.wire.length).toBe(before)
      await page.unmount()
    })

    test('unmounting cancels, or reads to the end, where that was asked for', async () => {
      const connection = createServer()
      const cancelling = await mount(one(connection, { onUnmount: 'cancel' }))
      await fire(cancelling, 'a', 'b')
      await cancelling.unmount()
      await vi.advanceTimersByTimeAsync(0)
      expect(connection.count('tasks/cancel')).toBe(2)

      const heard: string[] = []
      const keeping = await mount(one(connection, { onUnmount: 'keep', onSettled: ({ phase }) => heard.push(phase) }))
      await fire(keeping, 'c', 'd')
      await keeping.unmount()
      complete(connection, 'tk-3', 'tk-4')
      await vi.advanceTimersByTimeAsync(2000)
      expect(heard).toEqual(['completed', 'completed'])
      expect([connection.listeners, vi.getTimerCount()]).toEqual([0, 0])
    })

    test('another connection to the same endpoint is gone on with, also by what is fired later', async () => {
      const [old, next] = [createServer(), createServer()]
      const page = await mount(one(old))
      await act(() => page.group('g').fire('gone').dispose())
      await fire(page, 'a')
      const before = old.count('tools/call')
      await act(() => old.close())
      await page.update(one(next))
      await fire(page, 'b')
      await later(2000)
      expect([old.count('tools/call'), toolsCalled(next)]).toEqual([before, ['b']])
      expect(new Set(next.sent.flatMap(({ params }) => params['taskId'] ?? [])).size).toBe(2)
      expect(page.text('g')).toMatch(/working working$/)
      await page.unmount()
    })

    test('a connection to another endpoint begins anew, and lets the old members go', async () => {
      const [old, next] = [createServer(), createServer({ endpoint: 'https://other.example/mcp' })]
      const page = await mount(one(old))
      await fire(page, 'a')
      await page.update(one(next))
      await later(0)
      expect(page.text('g')).toBe('empty')
      const before = old.wire.length
      await fire(page, 'b')
      await later(2000)
      expect([old.wire.length, old.listeners, toolsCalled(next)]).toEqual([before, 0, ['b']])
      expect(page.text('g')).toBe('working')
      await page.unmount()
    })

    test('without a provider it says what was expected', async () => {
      vi.spyOn(console, 'error').mockReturnValue()
      vi.spyOn(console, 'warn').mockReturnValue()
      await expect(mount({ parts: [{ id: 'g', group: {} }] })).rejects.toThrow(/^Expected useTaskGroup/)
    })
  })
}
