import { TaskProvider, useTask, useTaskGroup, type UseTaskOptions } from '@mcp-task-machine/react'
import { act, StrictMode, type ReactNode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { groupWords } from '../adapters/driver.ts'
import { createServer, workingView } from './contract.ts'

;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true

function Panel({ options, onRender }: { options?: UseTaskOptions; onRender?: (phase: string) => void }) {
  const { phase, fire } = useTask('start_research', options)
  onRender?.(phase)
  return <button onClick={() => void fire({ query: 'tides' })}>{phase}</button>
}

/** Brings markup of a server to life, and keeps what React has to say about it. */
async function hydrate(html: string, tree: ReactNode) {
  const complaints: unknown[] = []
  vi.spyOn(console, 'error').mockImplementation((...words) => void complaints.push(words))
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = html
  let root!: ReturnType<typeof hydrateRoot>
  await act(async () => {
    root = hydrateRoot(container, tree, { onRecoverableError: (error) => void complaints.push(error) })
  })
  return {
    complaints,
    button: () => container.querySelector('button')!,
    async unmount() {
      await act(async () => root.unmount())
      container.remove()
    },
  }
}

describe('React: hydration', () => {
  afterEach(() => void vi.restoreAllMocks())

  test.each([
    ['nothing', undefined, 'idle'],
    ['a view', { initialView: workingView }, 'working'],
    ['a view of a shared task', { initialView: workingView, key: 'report' }, 'working'],
  ])('with %s given it takes over the markup, and a click is one call', async (_, options, phase) => {
    const connection = createServer()
    const tree = (
      <StrictMode>
        <TaskProvider connection={connection}>
          <Panel {...(options && { options })} />
        </TaskProvider>
      </StrictMode>
    )
    const html = renderToString(tree)
    expect(html).toContain(`>${phase}<`)
    const page = await hydrate(html, tree)
    const button = page.button()
    expect([button.textContent, page.complaints, connection.wire]).toEqual([phase, [], []])
    await act(async () => button.click())
    expect(page.button()).toBe(button)
    expect(connection.wire).toEqual(['tools/call'])
    expect(button.textContent).toBe('working')
    await page.unmount()
  })

  test('a group takes over the markup, and a click is one call', async () => {
    const connection = createServer()
    function Bookings() {
      const group = useTaskGroup({ connection })
      return <button onClick={() => void group.fire('book_trip')}>{groupWords(group)}</button>
    }
    const tree = (
      <StrictMode>
        <Bookings />
      </StrictMode>
    )
    const html = renderToString(tree)
    expect(html).toBe('<button>empty</button>')
    const page = await hydrate(html, tree)
    const button = page.button()
    expect([page.complaints, connection.wire]).toEqual([[], []])
    await act(async () => button.click())
    await vi.waitFor(async () => {
      await act(async () => {})
      expect(button.textContent).toBe('working')
    })
    expect(page.button()).toBe(button)
    expect(connection.wire).toEqual(['tools/call'])
    await page.unmount()
  })

  test('a part that comes to life while its task is under way shows what the server rendered first', async () => {
    const connection = createServer()
    const options = { connection, key: 'report' }
    const html = renderToString(<Panel options={options} />)
    const first = await hydrate(html, <Panel options={options} />)
    await act(async () => first.button().click())

    const phases: string[] = []
    const late = await hydrate(html, <Panel options={options} onRender={(phase) => phases.push(phase)} />)
    expect(late.complaints).toEqual([])
    expect(phases[0]).toBe('idle')
    expect(late.button().textContent).toBe('working')
    await first.unmount()
    await late.unmount()
  })
})
