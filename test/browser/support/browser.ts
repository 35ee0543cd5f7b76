import { chromium, type Browser } from 'playwright-core'
import { inject } from 'vitest'
import { Panel } from './panel.ts'
import { countRequests } from './wire.ts'

const PATIENCE_MS = 30_000
let connected: Browser | undefined

/**
 * Opens the page in a session of its own, as a person would who has never been there. `errors` are those that nothing caught; `sent` counts
 * the page's requests by method.
 */
export async function openPage({ search = '', url = inject('demo').page } = {}) {
  connected ??= await chromium.connect(inject('browser'))
  const context = await connected.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  const sent = countRequests(page)
  await page.goto(url + search)
  return { page, errors, sent, panel: new Panel(page) }
}

/** Closes all pages of this file. */
export async function closePages(): Promise<void> {
  await connected?.close()
  connected = undefined
}
