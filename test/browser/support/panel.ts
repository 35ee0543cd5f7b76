import type { Frame, Locator, Page } from 'playwright-core'

/** One run on the page, found and used as a person would: by what is written there. */
export class Panel {
  readonly page: Page | Frame
  readonly root: Locator

  constructor(page: Page | Frame, nth = 0) {
    this.page = page
    this.root = page.getByRole('article').nth(nth)
  }

  get prompt(): Locator {
    return this.root.locator('section.prompt')
  }

  /** The bar and what stands below it. */
  get progress(): Locator {
    return this.root.locator('.progress')
  }

  button(name: string): Locator {
    return this.root.getByRole('button', { name, exact: true })
  }

  field(name: string | RegExp): Locator {
    return this.root.getByLabel(name, { exact: true })
  }

  /** Resolves when the run says that it stands there. */
  async says(title: string, sentence = ''): Promise<void> {
    const status = this.root.getByRole('status').filter({ has: this.page.getByText(title, { exact: true }) })
    await status.filter({ hasText: sentence }).waitFor()
  }

  /** Chooses a job, fills in its form and starts it. */
  async start(job: string, answers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.root.getByRole('radio', { name: job }).check()
    for (const [name, value] of Object.entries(answers)) await this.field(name).fill(value)
    await this.button('Start').click()
  }

  /** What the history has to say, oldest first. */
  async history(): Promise<readonly string[]> {
    return this.root.locator('.history li span').allTextContents()
  }
}
