import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { servePage } from '../../../examples/serve-page.mjs'
import { openPage } from './browser.ts'

const HOST = fileURLToPath(new URL('../../../examples/mcp-app/dist/host', import.meta.url))

/** Serves the built host page of the MCP App, for the MCP server that the tests share. */
export function serveHost() {
  if (!existsSync(HOST)) throw new Error('examples/mcp-app is not built: run `pnpm build` first.')
  return servePage({ pages: { '/': HOST }, server: inject('demo').server, port: 0, showsViews: true })
}

/** Opens the host page; its view is not shown yet. `errors` are all that the console has to say, too. */
export async function openHost(url: string, tool: string, args: object, more = '') {
  const search = `?tool=${tool}&args=${encodeURIComponent(JSON.stringify(args))}${more}`
  // Nothing is opened yet, so that nothing is missed.
  const opened = await openPage({ url: 'about:blank' })
  const { page, errors } = opened
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text())
  })
  const calls: string[] = []
  page.on('request', (request) => {
    const { method, params } = (request.postDataJSON() ?? {}) as { method?: string; params?: { name: string } }
    if (method === 'tools/call') calls.push(params!.name)
  })
  await page.goto(url + search)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const app = page.frameLocator('iframe')
  return {
    ...opened,
    press,
    app,
    button: (name: string) => app.getByRole('button', { name, exact: true }),
    /** Resolves when the view says that its run stands there. */
    says: (title: string) => app.getByRole('status').getByText(title, { exact: true }).waitFor(),
    /** How often the tool was called, by whomever. */
    called: (name: string) => calls.filter((each) => each === name).length,
    /** The document of the view. */
    frame: () => page.frames().find((each) => each.parentFrame())!,
    /** What the host was last told for its model. */
    context: () => page.locator('#context').textContent(),
  }
}
