import type { TaskView } from '@mcp-task-machine/core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import type { Framework } from './pages.ts'
import { countRequests } from './wire.ts'

const PATIENCE_MS = 30_000

/** What a page is asked to do, by its address. */
export interface Ask {
  readonly tool: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly mcp?: string
  /** Calls without a task. */
  readonly plain?: ''
  /** Goes on in a hidden tab. */
  readonly background?: ''
  /** ms */
  readonly maxWait?: number
}

/** A page with one call on it, by its buttons and by what it prints. */
export class RunPage {
  readonly page: Page
  readonly sent: (method: string) => number
  readonly errors: string[] = []

  constructor(page: Page) {
    this.page = page
    this.sent = countRequests(page)
    page.on('pageerror', (error) => this.errors.push(error.message))
  }

  async goto(url: string, framework: Framework, { args, ...ask }: Ask): Promise<void> {
    const search = new URLSearchParams(Object.entries(ask).map(([name, value]) => [name, String(value)]))
    if (args) search.set('args', JSON.stringify(args))
    await this.page.goto(`${url}${framework}.html?${search}`)
    await this.view()
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).click()
  }

  async view(): Promise<TaskView> {
    return JSON.parse((await this.page.locator('output').textContent())!)
  }

  /** Resolves once the view shows that. */
  async shows(expected: object): Promise<void> {
    await expect.poll(() => this.view(), { timeout: PATIENCE_MS }).toMatchObject(expected)
  }

  /** What the browser keeps of the run. */
  async stored(): Promise<Readonly<Record<string, unknown>> | null> {
    return JSON.parse((await this.page.evaluate(() => localStorage.getItem('run'))) ?? 'null')
  }

  /** Puts there what another browser keeps. */
  async keep(reference: object): Promise<void> {
    await this.page.evaluate((text) => localStorage.setItem('run', text), JSON.stringify(reference))
  }
}

let connected: Browser | undefined
const contexts = new Set<BrowserContext>()

/** Opens a window of its own: pages in it share a storage. */
export async function openWindow() {
  connected ??= await chromium.connect(inject('browser'))
  const context = await connected.newContext({ reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  contexts.add(context)
  return { context, newPage: async () => new RunPage(await context.newPage()) }
}

export async function closeWindows(): Promise<void> {
  await Promise.all([...contexts].map((context) => context.close()))
  contexts.clear()
}

/** Lets the browser go. */
export async function leaveBrowser(): Promise<void> {
  await connected?.close()
  connected = undefined
}
