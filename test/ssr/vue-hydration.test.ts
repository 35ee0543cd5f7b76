import type { UseTaskOptions } from '@mcp-task-machine/core'
import { useTask, useTaskGroup } from '@mcp-task-machine/vue'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSSRApp, defineComponent, h, nextTick } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { groupWords } from '../adapters/driver.ts'
import { createServer, workingView } from './contract.ts'

const createPage = (options: UseTaskOptions, onRender: (phase: string) => void = () => {}) =>
  createSSRApp(
    defineComponent(() => {
      const { phase, fire } = useTask('start_research', options)
      return () => {
        onRender(phase.value)
        return h('button', { onClick: () => void fire({ query: 'tides' }) }, phase.value)
      }
    }),
  )

/** Brings markup of a server to life, and keeps what Vue has to say about it. */
async function hydrate(html: string, app: ReturnType<typeof createPage>) {
  const complaints: unknown[] = []
  for (const method of ['warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...words) => void complaints.push(words))
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = html
  app.mount(container)
  await nextTick()
  return {
    complaints,
    button: () => container.querySelector('button')!,
    unmount() {
      app.unmount()
      container.remove()
    },
  }
}

describe('Vue: hydration', () => {
  afterEach(() => void vi.restoreAllMocks())

  test.each([
    ['nothing', {}, 'idle'],
    ['a view', { initialView: workingView }, 'working'],
    ['a view of a shared task', { initialView: workingView, key: 'report' }, 'working'],
  ])('with %s given it takes over the markup, and a click is one call', async (_, given, phase) => {
    const connection = createServer()
    const options = { connection, ...given }
    const html = await renderToString(createPage(options))
    expect(html).toContain(`>${phase}<`)
    const page = await hydrate(html, createPage(options))
    const button = page.button()
    expect([button.textContent, page.complaints, connection.wire]).toEqual([phase, [], []])
    button.click()
    await vi.waitFor(() => expect(button.textContent).toBe('working'))
    expect(page.button()).toBe(button)
    expect(connection.wire).toEqual(['tools/call'])
    page.unmount()
  })

  test('a group takes over the markup, also one that was fired while being set up', async () => {
    const connection = createServer()
    const create = (isEager: boolean) =>
      createSSRApp(
        defineComponent(() => {
          const { view, fire } = useTaskGroup({ connection })
          if (isEager) fire('book_trip')
          return () => h('button', { onClick: () => void fire('book_trip') }, groupWords(view.value))
        }),
      )
    const html = await renderToString(create(false))
    expect([html, connection.wire]).toEqual(['<button>empty</button>', []])
    const page = await hydrate(html, create(true))
    expect(page.complaints).toEqual([])
    await vi.waitFor(() => expect(page.button().textContent).toBe('working'))
    page.button().click()
    await vi.waitFor(() => expect(page.button().textContent).toBe('working working'))
    expect(connection.wire).toEqual(['tools/call', 'tools/call'])
    page.unmount()
  })

  test('a part that comes to life while its task is under way shows what the server rendered first', async () => {
    const connection = createServer()
    const options = { connection, key: 'report' }
    const html = await renderToString(createPage(options))
    const first = await hydrate(html, createPage(options))
    first.button().click()
    await vi.waitFor(() => expect(first.button().textContent).toBe('working'))

    const phases: string[] = []
    const late = await hydrate(
      html,
      createPage(options, (phase) => phases.push(phase)),
    )
    await nextTick()
    expect(late.complaints).toEqual([])
    expect(phases).toEqual(['idle', 'working'])
    expect(late.button().textContent).toBe('working')
    first.unmount()
    late.unmount()
  })
})
