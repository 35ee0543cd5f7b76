import type { DataChange, JsonObject, TaskReference, TaskVerbs, TaskView } from '@mcp-task-machine/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  accepted,
  completed,
  createFakeConnection,
  elicitation,
  handle,
  snapshot,
  toolResult,
  type FakeConnection,
} from '../../packages/core/test/support/fake-connection.ts'
import type { Driver, Page } from './driver.ts'

const tool = 'start_research'
const minutes = 60_000

/** A server that answers each call with a task of its own, which works until the test says otherwise. */
function createServer(over: Parameters<typeof createFakeConnection>[0] = {}): FakeConnection {
  const connection = createFakeConnection(over)
  connection.on('tools/call', (_, nth) => handle({ taskId: `tk-${nth}` }))
  connection.on('tasks/get', ({ taskId }) => snapshot('working', { taskId }))
  connection.on('tasks/cancel', () => ({ resultType: 'complete' }))
  connection.on('tasks/update', () => ({ resultType: 'complete' }))
  return connection
}

/** What every adapter promises, in whatever way its framework is used. */
export function describeAdapter(name: string, driver: Driver): void {
  const { mount, act } = driver
  const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  const one = (connection: FakeConnection, options: object = {}): Page => ({
    connection,
    parts: [{ id: 'a', tool, options }],
  })
  const nothing = (connection: FakeConnection): Page => ({ connection, parts: [] })

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

    test('a connection to another endpoint begins anew', async () => {
      const [old, next] = [createServer(), createServer({ endpoint: 'https://other.example/mcp' })]
      const page = await mount(one(old))
      await act(() => page.task('a').fire())
      await page.update(one(next))
      expect(page.text('a')).toBe('idle')
      await act(() => page.task('a').fire())
      expect([old.count('tools/call'), next.count('tools/call')]).toEqual([1, 1])
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

  describe(`${name}: following a runner, and the data`, () => {
    withFakeTime()

    test('a selector narrows what a component renders for', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const { runner } = page.task('a')
      const selector = (view: TaskView) => view.task?.statusMessage ?? 'nothing'
      await page.update({ connection, parts: [...one(connection).parts, { id: 'v', runner, selector }] })
      const before = page.renders('v')
      await act(() => runner.fire())
      expect([page.text('v'), page.renders('v')]).toEqual(['nothing', before])
      connection.on('tasks/get', () => snapshot('working', { statusMessage: 'Reading.' }))
      await later(1000)
      expect([page.text('v'), page.renders('v')]).toEqual(['Reading.', before + 1])
      await page.unmount()
    })

    test('what happens before a runner is followed is seen', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const { runner } = page.task('a')
      await page.update(nothing(connection))
      const part = { id: 'v', runner, selector: ({ phase }: TaskView) => phase, early: () => runner.adopt(handle()) }
      await page.update({ connection, parts: [part] })
      expect(page.text('v')).toBe('working')
      await page.unmount()
    })

    test('a selector may make an object each time', async () => {
      const connection = createServer()
      const page = await mount(one(connection))
      const { runner } = page.task('a')
      const selector = ({ phase }: TaskView) => ({ toString: () => `is ${phase}` })
      await page.update({ connection, parts: [{ id: 'v', runner, selector }] })
      await act(() => runner.fire())
      expect(page.text('v')).toBe('is working')
      await page.unmount()
    })

    test('data that changed is told once per notification, to the listener of the last render, while it is there', async () => {
      const connection = createServer()
      const heard: [string, DataChange][] = []
      const sync = (version: string): Page => ({
        connection,
        parts: [{ id: 's', listener: (change) => heard.push([version, change]) }],
      })
      const list = 'notifications/resources/list_changed'
      const updated = 'notifications/resources/updated'
      const page = await mount(sync('one'))
      await act(() => connection.push(list, {}))
      await page.update(sync('two'))
      await act(() => connection.push(updated, { uri: 'report://7' }))
      await page.update(nothing(connection))
      await act(() => connection.push(list, {}))
      expect(heard).toEqual([
        ['one', { method: list, uri: null }],
        ['two', { method: updated, uri: 'report://7' }],
      ])
      expect(connection.listeners).toBe(0)
      await page.unmount()
    })

    test('data is followed on the connection of the moment', async () => {
      const [old, next] = [createServer(), createServer()]
      const listener = vi.fn()
      const page = await mount({ connection: old, parts: [{ id: 's', listener }] })
      await page.update({ connection: next, parts: [{ id: 's', listener }] })
      await act(() => old.push('notifications/resources/list_changed', {}))
      await act(() => next.push('notifications/resources/list_changed', {}))
      expect(listener).toHaveBeenCalledTimes(1)
      expect(old.listeners).toBe(0)
      await page.unmount()
    })
  })
}

function withFakeTime() {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
}
