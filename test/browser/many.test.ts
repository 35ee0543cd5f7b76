import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, expect, inject, test } from 'vitest'
import { build, type Rolldown } from 'vite'
import { closePages, openPage } from './support/browser.ts'

/** ms; a group tells of changes no more often than this. */
const FRAME = 16
const CLICKS = 5

afterAll(closePages)

/** Opens the page that is written in `support/many.tsx`. */
async function openMany() {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@mcp-task-machine/source'] },
    build: { write: false, rolldownOptions: { input: fileURLToPath(new URL('support/many.tsx', import.meta.url)) } },
  })) as Rolldown.RolldownOutput
  const opened = await openPage()
  const { page } = opened
  const at = `${inject('demo').page}many/`
  await page.route(`${at}page.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: built.output[0].code }),
  )
  const body = '<!doctype html><div id="page"></div><script type="module" src="page.js"></script>'
  await page.route(at, (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(at)
  return opened
}

const look = (page: Page) =>
  page.evaluate(() => {
    const { seen } = window as unknown as { seen: { renders: number; frames: number; since: number } }
    return { ...seen, elapsed: Date.now() - seen.since }
  })

test('a thousand tasks in a group leave a page responsive: it draws, and heeds clicks, between what it shows of them', async () => {
  const { page, errors } = await openMany()
  await page.getByRole('button', { name: 'Start' }).click()
  const status = page.getByRole('status')
  await status.getByText('1000 working, 0 finished').waitFor()
  let before = await look(page)
  for (let nth = 1; nth <= CLICKS; nth++) {
    const shown = await page.locator('li').first().textContent()
    await page.getByRole('button', { name: `Clicked ${nth - 1} times` }).click()
    await page.getByRole('button', { name: `Clicked ${nth} times` }).waitFor()
    await expect.poll(() => page.locator('li').first().textContent()).not.toBe(shown)
    const now = await look(page)
    expect(now.frames).toBeGreaterThan(before.frames)
    expect(now.renders).toBeGreaterThan(before.renders)
    before = now
  }
  // Two thousand and more changes came meanwhile; each drawing of the group shows all that have come since the last.
  const { renders, elapsed } = await look(page)
  expect(renders).toBeLessThanOrEqual(elapsed / FRAME + 2)
  await page.getByRole('button', { name: 'Finish' }).click()
  await status.getByText('0 working, 1000 finished').waitFor()
  expect(errors).toEqual([])
})
