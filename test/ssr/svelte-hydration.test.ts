import { svelte } from '@sveltejs/vite-plugin-svelte'
import { flushSync, hydrate, unmount, type ComponentProps } from 'svelte'
import { createServer as createViteServer, type ViteDevServer } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServer, workingView } from './contract.ts'
import Panel from './svelte/Panel.svelte'

const tool = 'start_research'

describe('Svelte: hydration', () => {
  // Here components are compiled for a browser, so the markup comes from a server of its own.
  let server: ViteDevServer
  beforeAll(async () => {
    const conditions = ['@mcp-task-machine/source']
    server = await createViteServer({
      configFile: false,
      logLevel: 'error',
      plugins: [svelte({ configFile: false })],
      resolve: { conditions },
      ssr: { resolve: { conditions } },
      server: { middlewareMode: true, ws: false, watch: null },
      optimizeDeps: { noDiscovery: true },
    })
    // Compiles it all, which takes a while the first time.
    await renderOnServer({ connection: createServer(), tool })
  }, 120_000)
  afterAll(() => server.close())
  afterEach(() => void vi.restoreAllMocks())

  async function renderOnServer(props: ComponentProps<typeof Panel>): Promise<string> {
    const { render } = await server.ssrLoadModule('svelte/server')
    const { default: Component } = await server.ssrLoadModule(`${import.meta.dirname}/svelte/Panel.svelte`)
    return render(Component, { props }).body
  }

  /** Brings markup of a server to life, and keeps what Svelte has to say about it. */
  function bringToLife(html: string, props: ComponentProps<typeof Panel>) {
    const complaints: unknown[] = []
    for (const method of ['warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation((...words) => void complaints.push(words))
    const target = document.body.appendChild(document.createElement('div'))
    target.innerHTML = html
    const paragraph = target.querySelector('p')!
    const component = hydrate(Panel, { target, props })
    flushSync()
    return {
      complaints,
      paragraph,
      target,
      async unmount() {
        await unmount(component)
        target.remove()
      },
    }
  }

  test.each([
    ['nothing', {}, 'idle'],
    ['a view', { initialView: workingView }, 'working'],
    ['a view of a shared task', { initialView: workingView, key: 'report' }, 'working'],
  ])('with %s given it takes over the markup', async (_, options, phase) => {
    const connection = createServer()
    const props = { connection, tool, options }
    const html = await renderOnServer(props)
    expect(html).toContain(`>${phase}<`)
    const page = bringToLife(html, props)
    expect([page.paragraph.textContent, page.complaints, connection.wire]).toEqual([phase, [], []])
    expect(page.target.querySelector('p')).toBe(page.paragraph)
    await page.unmount()
  })

  test('a click is one call', async () => {
    const connection = createServer()
    const props = { connection, tool }
    const page = bringToLife(await renderOnServer(props), props)
    page.target.querySelector<HTMLElement>('button:not(#book)')!.click()
    await vi.waitFor(() => expect(page.paragraph.textContent).toBe('working'))
    expect(page.target.querySelector('p')).toBe(page.paragraph)
    expect(connection.wire).toEqual(['tools/call'])
    await page.unmount()
  })

  test('a group takes over the markup, and fires', async () => {
    const connection = createServer()
    const props = { connection, tool }
    const page = bringToLife(await renderOnServer(props), props)
    const group = page.target.querySelector('#g')!
    expect([group.textContent, page.complaints, connection.wire]).toEqual(['empty', [], []])
    page.target.querySelector<HTMLElement>('#book')!.click()
    await vi.waitFor(() => expect(group.textContent).toBe('working'))
    expect(page.target.querySelector('#g')).toBe(group)
    expect(connection.wire).toEqual(['tools/call'])
    await page.unmount()
  })

  test('a part that comes to life while its task is under way shows where it stands', async () => {
    const connection = createServer()
    const props = { connection, tool, options: { key: 'report' } }
    const html = await renderOnServer(props)
    const first = bringToLife(html, props)
    first.target.querySelector<HTMLElement>('button:not(#book)')!.click()
    await vi.waitFor(() => expect(first.paragraph.textContent).toBe('working'))
    const late = bringToLife(html, props)
    expect(late.complaints).toEqual([])
    expect(late.target.querySelector('p')!.textContent).toBe('working')
    expect(late.target.querySelector('button:not(#book)')).toBeNull()
    await first.unmount()
    await late.unmount()
  })
})
