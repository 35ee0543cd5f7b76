import type { TaskConnection } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { provideTasks, useDataSync, useTask, useTaskGroup, type Task, type TaskGroup } from '@mcp-task-machine/vue'
import {
  createApp,
  defineComponent,
  h,
  KeepAlive,
  nextTick,
  onMounted,
  ref,
  shallowRef,
  Suspense,
  type Component,
  type VNodeChild,
} from 'vue'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, snapshot } from '../../packages/core/test/support/fake-connection.ts'

const tool = 'start_research'

// Vue's first app waits a while for its developer tools: not on the tests' time.
createApp({})

function createServer() {
  const connection = createFakeConnection()
  connection.on('tools/call', () => handle())
  connection.on('tasks/get', () => snapshot())
  connection.on('tasks/cancel', () => ({ resultType: 'complete' }))
  return connection
}

async function mount(setup: () => () => VNodeChild) {
  const container = document.createElement('div')
  const app = createApp(defineComponent(setup))
  const thrown: unknown[] = []
  app.config.errorHandler = (error) => void thrown.push(error)
  app.config.warnHandler = () => {}
  app.mount(container)
  await nextTick()
  return { text: () => container.textContent, thrown, unmount: () => app.unmount() }
}

describe('Vue: trees', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const later = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    await nextTick()
  }

  function keptAlive(options: object = {}) {
    const connection = createServer()
    const isShown = ref(true)
    let task!: Task
    const Panel = defineComponent(() => {
      task = useTask(tool, { connection, ...options })
      return () => h('p', task.phase.value)
    })
    const page = mount(() => () => h(KeepAlive, null, () => (isShown.value ? h(Panel) : undefined)))
    return { connection, isShown, page, task: () => task }
  }

  test('a group that <KeepAlive> puts away rests, and goes on when it is back', async () => {
    const connection = createServer()
    const isShown = ref(true)
    let group!: TaskGroup
    const Panel = defineComponent(() => {
      group = useTaskGroup({ connection })
      return () => group.views.value.map(({ phase }) => phase).join(' ')
    })
    const page = await mount(() => () => h(KeepAlive, null, () => (isShown.value ? h(Panel) : undefined)))
    group.fire('book_trip')
    await later(1000)
    isShown.value = false
    await later(0)
    expect(vi.getTimerCount()).toBe(0)
    const before = connection.count('tasks/get')
    await later(60_000)
    expect(connection.count('tasks/get')).toBe(before)
    connection.on('tasks/get', () => completed())
    isShown.value = true
    await later(1000)
    expect(page.text()).toBe('completed')
    page.unmount()
  })

  test('what <KeepAlive> puts away rests, and goes on when it is back', async () => {
    const { connection, isShown, page, task } = keptAlive()
    const { text, unmount } = await page
    void task().fire()
    await later(1000)
    isShown.value = false
    await later(0)
    expect(vi.getTimerCount()).toBe(0)
    const before = connection.count('tasks/get')
    await later(60_000)
    expect(connection.count('tasks/get')).toBe(before)
    connection.on('tasks/get', () => completed())
    isShown.value = true
    await later(1000)
    expect(text()).toBe('completed')
    expect(connection.count('tools/call')).toBe(1)
    unmount()
  })

  test('what <KeepAlive> puts away is cancelled only when it is unmounted', async () => {
    const { connection, isShown, page, task } = keptAlive({ onUnmount: 'cancel' })
    const { unmount } = await page
    void task().fire()
    await later(1000)
    isShown.value = false
    await later(1000)
    expect(connection.count('tasks/cancel')).toBe(0)
    unmount()
    await later(0)
    expect(connection.count('tasks/cancel')).toBe(1)
  })

  test('what <Suspense> throws away before it is there has no effect, and claims no key', async () => {
    // "<Suspense> is an experimental feature"
    vi.spyOn(console, 'info').mockReturnValue()
    const connection = createServer()
    const name = ref(tool)
    const isNeeded = ref(true)
    const loaded: (() => void)[] = []
    const Panel = defineComponent({
      props: { name: { type: String, required: true } },
      async setup(props) {
        const task = useTask(props.name, { connection, key: 'panel' })
        await new Promise<void>((resolve) => loaded.push(resolve))
        return () => h('p', task.phase.value)
      },
    })
    const page = await mount(
      () => () =>
        isNeeded.value &&
        h(Suspense, null, {
          default: () => h(Panel, { name: name.value, key: name.value }),
          fallback: () => 'waiting',
        }),
    )
    expect(page.text()).toBe('waiting')
    expect([connection.wire, connection.listeners, vi.getTimerCount()]).toEqual([[], 0, 0])
    name.value = 'book_trip'
    await later(0)
    for (const resolve of loaded) resolve()
    await later(0)
    expect(page.text()).toBe('idle')
    expect(page.thrown).toEqual([])
    page.unmount()
    await later(5 * 60_000)
    expect([connection.listeners, vi.getTimerCount()]).toEqual([0, 0])
  })

  test('a call made while mounting is made on the shared runner, also through a component in between', async () => {
    const connection = createServer()
    const Inner = defineComponent(() => {
      const { phase } = useTask(tool, { connection, key: 'shared' })
      return () => h('p', phase.value)
    })
    const FireOnce = defineComponent<{ fire: () => unknown }>(
      ({ fire }) => {
        onMounted(() => void fire())
        return () => null
      },
      { props: ['fire'] },
    )
    const page = await mount(() => {
      const { fire, phase } = useTask(tool, { connection, key: 'shared' })
      return () => [h('p', phase.value), h(Inner), h(FireOnce, { fire })]
    })
    await later(0)
    expect(page.text()).toBe('workingworking')
    expect(connection.count('tools/call')).toBe(1)
    page.unmount()
  })

  test('each field is a ref that changes with that field only', async () => {
    const connection = createServer()
    let renders = 0
    let task!: Task
    const page = await mount(() => {
      task = useTask(tool, { connection })
      const { isWorking } = task
      return () => {
        renders++
        return String(isWorking.value)
      }
    })
    void task.fire()
    await later(0)
    connection.on('tasks/get', () => snapshot('working', { statusMessage: 'Reading.' }))
    await later(5000)
    expect(page.text()).toBe('true')
    expect(task.view.value.task?.statusMessage).toBe('Reading.')
    expect(renders).toBe(2)
    page.unmount()
  })
})

describe('Vue: what is provided', () => {
  const below = (Panel: Component, provided: () => void) =>
    mount(() => {
      provided()
      return () => h(Panel)
    })

  test('a connection that lies in a ref is used as it is', async () => {
    const server = createServer()
    const asked: unknown[] = []
    const connection: TaskConnection = {
      ...server,
      request(...request) {
        asked.push(this)
        return server.request(...request)
      },
    }
    let task!: Task
    const Panel = defineComponent(() => {
      task = useTask(tool)
      return () => task.phase.value
    })
    const page = await below(Panel, () => provideTasks({ connection: ref(connection) }))
    await task.fire()
    expect(asked[0]).toBe(connection)
    page.unmount()
  })

  test('makes the connection of a client, the one that fromClient gives, also if the client lies in a ref', async () => {
    const client = {
      transport: undefined,
      getServerCapabilities: () => undefined,
      getServerVersion: () => ({ name: 'tiles' }),
      request: () => Promise.reject(new Error('not connected')),
      callTool: () => Promise.reject(new Error('not connected')),
    }
    const onNotification = vi.spyOn(fromClient(client), 'onNotification')
    const Panel = defineComponent(() => {
      useDataSync(() => {})
      return () => null
    })
    const page = await below(Panel, () => provideTasks({ client: ref(client) }))
    expect(onNotification).toHaveBeenCalled()
    page.unmount()
  })

  test('without a connection and without a client it says what it expected', async () => {
    const { thrown } = await below(
      defineComponent(() => () => null),
      () => provideTasks({} as never),
    )
    expect(String(thrown[0])).toMatch(/^TypeError: Expected provideTasks/)
  })

  test('shows the charts of all its tasks to `inspect`', async () => {
    const inspect = vi.fn<(event: { type: string }) => void>()
    let task!: Task
    const Panel = defineComponent(() => {
      task = useTask(tool)
      return () => null
    })
    const connection = shallowRef(createServer())
    const page = await below(Panel, () => provideTasks({ connection, inspect }))
    await task.fire()
    expect(inspect.mock.calls.map(([event]) => event.type)).toContain('@xstate.event')
    page.unmount()
  })
})
