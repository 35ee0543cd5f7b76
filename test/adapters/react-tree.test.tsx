import { fromClient } from '@mcp-task-machine/core/mcp'
import { TaskProvider, useDataSync, useTask } from '@mcp-task-machine/react'
import { Fragment, StrictMode, Suspense, act, startTransition, useEffect, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, snapshot } from '../../packages/core/test/support/fake-connection.ts'
import { reactDriver, renderInto } from './react-driver.tsx'

const tool = 'start_research'
const modes = [
  ['plain', Fragment],
  ['Strict Mode', StrictMode],
] as const

/** What React waits for, and how to let it come. */
function createWait() {
  let come = () => {}
  const promise = new Promise<void>((resolve) => (come = resolve))
  let isOver = false
  return {
    read() {
      if (!isOver) throw promise
    },
    over: () => act(async () => ((isOver = true), come())),
  }
}

describe.each(modes)('React (%s): trees', (_, Mode) => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  function createServer() {
    const connection = createFakeConnection()
    connection.on('tools/call', () => handle())
    connection.on('tasks/get', () => snapshot())
    return connection
  }
  async function render(children: ReactNode) {
    const container = document.createElement('div')
    const root = createRoot(container)
    const again = (next: ReactNode) => act(async () => root.render(<Mode>{next}</Mode>))
    await again(children)
    return { text: () => container.textContent, again, unmount: () => act(async () => root.unmount()) }
  }

  test('a tree that is thrown away before it is there has no effect, and claims no key', async () => {
    const connection = createServer()
    const wait = createWait()
    function Panel({ tool: name }: { tool: string }) {
      const task = useTask(name, { connection, key: 'panel' })
      wait.read()
      return <p>{task.phase}</p>
    }
    const page = await render(
      <Suspense fallback="waiting">
        <Panel tool={tool} />
      </Suspense>,
    )
    expect(page.text()).toBe('waiting')
    expect([connection.wire, connection.listeners, vi.getTimerCount()]).toEqual([[], 0, 0])
    await page.again(
      <Suspense fallback="waiting">
        <Panel tool="book_trip" />
      </Suspense>,
    )
    await wait.over()
    expect(page.text()).toBe('idle')
    await page.unmount()
  })

  test('a run goes on while its component waits for something else', async () => {
    const connection = createServer()
    const wait = createWait()
    let fire!: () => unknown
    let hold!: () => void
    function Panel() {
      const task = useTask(tool, { connection })
      const [isHeld, setHeld] = useState(false)
      fire = task.fire
      hold = () => setHeld(true)
      if (isHeld) wait.read()
      return <p>{task.phase}</p>
    }
    const page = await render(
      <Suspense fallback="waiting">
        <Panel />
      </Suspense>,
    )
    await act(async () => void fire())
    await act(async () => hold())
    connection.on('tasks/get', () => completed())
    await act(() => vi.advanceTimersByTimeAsync(2000))
    await wait.over()
    expect(page.text()).toBe('completed')
    expect(connection.count('tools/call')).toBe(1)
    await page.unmount()
  })

  test('a transition to another tool leaves the old run alone until it is through', async () => {
    const connection = createServer()
    const wait = createWait()
    const phases: string[] = []
    let fire!: () => unknown
    let go!: (name: string) => void
    function Panel() {
      const [name, setName] = useState(tool)
      const task = useTask(name, { connection })
      useEffect(() => {
        fire = task.fire
        go = (next) => startTransition(() => setName(next))
        phases.push(`${name} ${task.phase}`)
      })
      if (name !== tool) wait.read()
      return <p>{`${name} ${task.phase}`}</p>
    }
    const page = await render(
      <Suspense fallback="waiting">
        <Panel />
      </Suspense>,
    )
    await act(async () => void fire())
    await act(async () => go('book_trip'))
    expect(page.text()).toBe('start_research working')
    connection.on('tasks/get', () => completed())
    await act(() => vi.advanceTimersByTimeAsync(2000))
    expect(page.text()).toBe('start_research completed')
    await wait.over()
    expect(page.text()).toBe('book_trip idle')
    expect(connection.count('tools/call')).toBe(1)
    await page.unmount()
  })

  test('a call made while mounting is made on the shared runner, also through a component in between', async () => {
    const connection = createServer()
    function Outer({ children }: { children: ReactNode }) {
      const task = useTask(tool, { connection, key: 'shared' })
      return (
        <>
          <p>{task.phase}</p>
          {children}
          <FireOnce fire={task.fire} />
        </>
      )
    }
    let isFired = false
    function FireOnce({ fire }: { fire: () => unknown }) {
      useEffect(() => {
        if (!isFired) void fire()
        isFired = true
      }, [fire])
      return null
    }
    function Inner() {
      return <p>{useTask(tool, { connection, key: 'shared' }).phase}</p>
    }
    const page = await render(
      <Outer>
        <Inner />
      </Outer>,
    )
    expect(page.text()).toBe('workingworking')
    expect(connection.count('tools/call')).toBe(1)
    await page.unmount()
  })

  test('a component that hears nothing new is not rendered by the ones around it for the task’s sake', async () => {
    const connection = createServer()
    const { mount, act: does } = reactDriver(Mode)
    const page = await mount({ connection, parts: ['a', 'b'].map((id) => ({ id, tool })) })
    const before = page.renders('b')
    await does(() => page.task('a').fire())
    expect(page.text('a')).toBe('working')
    expect(page.renders('b')).toBe(before)
    await page.unmount()
  })
})

describe('React: the provider', () => {
  test('makes the connection of a client, the one that fromClient gives', async () => {
    const client = {
      transport: undefined,
      getServerCapabilities: () => undefined,
      getServerVersion: () => ({ name: 'tiles' }),
      request: () => Promise.reject(new Error('not connected')),
      callTool: () => Promise.reject(new Error('not connected')),
    }
    const onNotification = vi.spyOn(fromClient(client), 'onNotification')
    function Panel() {
      useDataSync(() => {})
      return null
    }
    const root = createRoot(document.createElement('div'))
    await act(async () =>
      root.render(
        <TaskProvider client={client}>
          <Panel />
        </TaskProvider>,
      ),
    )
    expect(onNotification).toHaveBeenCalled()
    await act(async () => root.unmount())
  })

  test('rendering it again renders nobody below', async () => {
    const connection = createFakeConnection()
    let renders = 0
    function Panel() {
      useTask(tool)
      renders++
      return null
    }
    const panel = <Panel />
    const root = createRoot(document.createElement('div'))
    const render = () => act(async () => root.render(<TaskProvider connection={connection}>{panel}</TaskProvider>))
    await render()
    await render()
    expect(renders).toBe(1)
    await act(async () => root.unmount())
  })

  test('without a connection and without a client it says what it expected', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    vi.spyOn(console, 'warn').mockReturnValue()
    const root = createRoot(document.createElement('div'))
    const props = {} as Parameters<typeof TaskProvider>[0]
    await expect(renderInto(root, <TaskProvider {...props} />)).rejects.toThrow(/^Expected <TaskProvider>/)
    vi.restoreAllMocks()
  })

  test('shows the charts of all its tasks to `inspect`', async () => {
    const connection = createFakeConnection()
    connection.on('tools/call', () => handle())
    const inspect = vi.fn<(event: { type: string }) => void>()
    let fire!: () => unknown
    function Panel() {
      const task = useTask(tool)
      fire = task.fire
      return null
    }
    const root = createRoot(document.createElement('div'))
    await act(async () =>
      root.render(
        <TaskProvider connection={connection} inspect={inspect}>
          <Panel />
        </TaskProvider>,
      ),
    )
    await act(async () => void fire())
    expect(inspect.mock.calls.map(([event]) => event.type)).toContain('@xstate.event')
    await act(async () => root.unmount())
  })
})
