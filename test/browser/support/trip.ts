import type { Frame, Locator, Page } from 'playwright-core'

/** The pane of a whole trip, found and used as a person would: by what is written there. */
export class TripPane {
  readonly page: Page | Frame
  readonly root: Locator

  constructor(page: Page | Frame) {
    this.page = page
    this.root = page.getByRole('region', { name: 'A whole trip at once' })
  }

  button(name: string): Locator {
    return this.root.getByRole('button', { name, exact: true })
  }

  member(title: string): Locator {
    return this.root.getByRole('group', { name: title, exact: true })
  }

  /** How far the whole is, in words. */
  get progress(): Locator {
    return this.root.locator('.progress-line').first()
  }

  /** Resolves when the member says that it stands there. */
  async memberSays(member: string, title: string, sentence = ''): Promise<void> {
    const status = this.member(member).getByRole('status').filter({ hasText: title })
    await status.filter({ hasText: sentence }).waitFor()
  }

  /** Resolves when the whole says that it stands there. */
  async says(title: string, sentence = ''): Promise<void> {
    await this.root.getByRole('status').first().filter({ hasText: title }).filter({ hasText: sentence }).waitFor()
  }

  /** Fills in the form and books all. */
  async book(seconds: number, destination = 'Oslo'): Promise<void> {
    await this.root.getByLabel('Destination', { exact: true }).fill(destination)
    await this.root.getByLabel('Seconds per booking', { exact: true }).fill(String(seconds))
    await this.button('Book all').click()
  }
}
