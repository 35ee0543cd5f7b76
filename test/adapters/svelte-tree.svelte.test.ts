import type { TaskView } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { useDataSync, useTask, useTaskGroup, useTaskView, type Task, type TaskGroup } from '@mcp-task-machine/svelte'
import { flushSync, mount, unmount } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, snapshot } from '../../packages/core/test/support/fake-connection.ts'
import Blocks from './svelte/Blocks.svelte'
import Provided from './svelte/Provided.svelte'
import Trigger from './svelte/Trigger.svelte'

const tool = 'start_research'

function createServer() {
  const connection = createFakeConnection()
  connection.on('tools/call', () => handle())
  connection.on('tasks/get', () => snapshot())
  return connection
}

describe('Svelte: trees', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const later = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    flushSync()
  }

  function blocks(options: object = {}) {
    const connection = createServer()
    const state = $state({ isShown: true, version: 1 })
    const target = document.createElement('div')
    let task!: Task
    const component = mount(Blocks, {
      target,
      props: {
        options: { connection, ...options },
        get isShown() {
          return state.isShown
        },
        get version() {
          return state.version
        },
        onTask: (given: Task) => (task = given),
      },
    })
    flushSync()
    return { connection, state, text: () => target.textContent, task: () => task, end: () => unmount(component) }
  }

  test('destroyed inside {#if} it rests, and a shared run is there again when the block is', async () => {
    const page = blocks({ key: 'report' })
    void page.task().fire()
    await later(1000)
    page.state.isShown = false
    await later(0)
    const before = page.connection.count('tasks/get')
    await later(60_000)
    expect(page.connection.count('tasks/get')).toBe(before)
    expect(vi.getTimerCount()).toBe(0)
    page.connection.on('tasks/get', () => completed())
    page.state.isShown = true
    flushSync()
    expect(page.text()).toBe('working')
    await later(1000)
    expect(page.text()).toBe('completed')
    expect(page.connection.count('tools/call')).toBe(1)
    await page.end()
  })

  test('replaced inside {#key} a shared run reads on without a pause, and one that is not shared begins anew', async () => {
    const shared = blocks({ key: 'report' })
    void shared.task().fire()
    await later(0)
    const { runner } = shared.task()
    const rests: unknown[] = []
    runner.subscribe(() => rests.push(runner.getSnapshot().detachedBecause))
    shared.state.version++
    await later(1000)
    expect(shared.task().runner).toBe(runner)
    expect(rests).not.toContain('unmounted')
    expect(shared.connection.wire).toEqual(['tools/call', 'tasks/get'])
    await shared.end()

    const own = blocks()
    void own.task().fire()
    await later(0)
    own.state.version++
    await later(1000)
    expect(own.text()).toBe('idle')
    expect(own.connection.count('tasks/get')).toBe(0)
    await own.end()
  })

  test('a component that shows nothing shares its task too', async () => {
    const connection = createServer()
    let trigger!: Task
    const props = { connection, query: '', onTask: (task: Task) => (trigger = task) }
    const first = mount(Trigger, { target: document.body, props })
    flushSync()
    void trigger.fire()
    await later(0)
    let task!: Task
    const stop = $effect.root(() => {
      task = useTask(tool, { connection, key: 'shared' })
    })
    flushSync()
    expect(task.phase).toBe('working')
    await unmount(first)
    stop()
  })

  test('called in an effect it is called when what the effect uses has changed, and not when the task has', async () => {
    const connection = createServer()
    const state = $state({ query: 'tides' })
    const component = mount(Trigger, {
      target: document.body,
      props: {
        connection,
        get query() {
          return state.query
        },
        onTask: () => {},
      },
    })
    flushSync()
    await later(3000)
    expect(connection.count('tools/call')).toBe(1)
    state.query = 'winds'
    flushSync()
    await later(3000)
    expect(connection.count('tools/call')).toBe(2)
    await unmount(component)
  })

  test('a field that is derived changes with that field only', async () => {
    const connection = createServer()
    let task!: Task
    const seen: boolean[] = []
    const stop = $effect.root(() => {
      task = useTask(tool, { connection })
      const isWorking = $derived(task.isWorking)
      $effect(() => void seen.push(isWorking))
    })
    flushSync()
    await task.fire()
    flushSync()
    connection.on('tasks/get', () => snapshot('working', { statusMessage: 'Reading.' }))
    await later(5000)
    expect(task.current.task?.statusMessage).toBe('Reading.')
    expect(seen).toEqual([false, true])
    stop()
  })

  test('whatever is read or called once it is destroyed, Svelte has nothing to warn of', async () => {
    const connection = createServer()
    const warned = vi.spyOn(console, 'warn')
    let task!: Task
    let group!: TaskGroup
    const stop = $effect.root(() => {
      task = useTask(tool, () => ({ connection }))
      group = useTaskGroup(() => ({ connection }))
      $effect(() => void [task.phase, task.runner, group.counts])
    })
    flushSync()
    await task.fire()
    group.fire(tool)
    await later(1000)
    const { runner } = task
    stop()
    await later(1000)
    expect(() => group.fire(tool)).toThrow('disposed')
    await expect(group.settled()).rejects.toThrow('disposed')
    void group.cancelAll()
    void task.cancel()
    expect(task.runner).toBe(runner)
    expect([task.current, task.phase]).toEqual([runner.getSnapshot(), runner.getSnapshot().phase])
    expect(group.views).toHaveLength(1)
    expect(warned.mock.calls).toEqual([])
  })

  test('a look in passing at a followed runner does not keep it watched', async () => {
    const connection = createServer()
    let task!: Task
    const stop = $effect.root(() => {
      task = useTask(tool, { connection })
    })
    flushSync()
    await task.fire()
    const { runner } = task
    const followed = useTaskView(runner, (view: TaskView) => view.phase)
    expect(followed.current).toBe('working')
    stop()
    await later(0)
    expect(runner.getSnapshot().detachedBecause).toBe('unmounted')
    expect(followed.current).toBe('working')
  })
})

describe('Svelte: the context', () => {
  const provide = (options: object, Inner: () => void) => {
    const component = mount(Provided as never, { target: document.body, props: { options, Inner } as never })
    flushSync()
    return () => unmount(component)
  }

  test('makes the connection of a client, the one that fromClient gives', async () => {
    const client = {
      transport: undefined,
      getServerCapabilities: () => undefined,
      getServerVersion: () => ({ name: 'tiles' }),
      request: () => Promise.reject(new Error('not connected')),
      callTool: () => Promise.reject(new Error('not connected')),
    }
    const onNotification = vi.spyOn(fromClient(client), 'onNotification')
    const end = provide({ client }, () => useDataSync(() => {}))
    expect(onNotification).toHaveBeenCalled()
    await end()
  })

  test('without a connection and without a client it says what it expected', () => {
    expect(() => provide({}, () => {})).toThrow(/^Expected setTaskContext/)
  })

  test('shows the charts of all its tasks to `inspect`', async () => {
    const inspect = vi.fn<(event: { type: string }) => void>()
    let task!: Task
    const end = provide({ connection: createServer(), inspect }, () => (task = useTask(tool)))
    await task.fire()
    expect(inspect.mock.calls.map(([event]) => event.type)).toContain('@xstate.event')
    await end()
  })
})
