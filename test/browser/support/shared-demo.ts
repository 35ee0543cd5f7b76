import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { startDemo } from './demo.ts'
import { findChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser that all files share is reached. */
    readonly browser: string
    /** The page and its MCP server that most files share. */
    readonly demo: { readonly page: string; readonly server: string }
  }
}

/** What the browser tests share, since each costs seconds to start: a browser, and the page with its server. */
export default async function setup(project: TestProject) {
  // A container's user namespaces do not carry Chromium's sandbox.
  const browser = await chromium.launchServer({ executablePath: await findChromium(), args: ['--no-sandbox'] })
  const demo = await startDemo()
  project.provide('browser', browser.wsEndpoint())
  project.provide('demo', { page: demo.page, server: demo.server.url })
  return async () => {
    await browser.close()
    await demo.stop()
  }
}
