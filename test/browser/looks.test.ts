import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seriousFaults } from './support/axe.ts'
import { closePages, openPage } from './support/browser.ts'
import { everyKind } from './support/every-kind.ts'
import { Panel } from './support/panel.ts'
import { answer, holdBack, intercept, refusePushes } from './support/wire.ts'

// Kept out of git: for people to look at.
const SHOTS = fileURLToPath(new URL('./shots/', import.meta.url))
const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark'] as const

beforeAll(() => mkdir(SHOTS, { recursive: true }))
afterAll(closePages)

/** Takes a picture of the page in both themes and widths; it must fit, and be usable by anyone. */
async function look(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await page.screenshot({ path: `${SHOTS}${name}-${colorScheme}-${width}.png`, fullPage })
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} at ${width}`).toBe(width)
    }
    expect(await seriousFaults(page, colorScheme === 'dark'), `${name}, ${colorScheme}`).toEqual([])
  }
}

test('before it starts, and with mistakes in the form', async () => {
  const { page, panel } = await openPage()
  await panel.button('Start').waitFor()
  await look(page, '01-form')
  await panel.field('Question').fill('')
  await panel.field('Seconds of work').fill('700')
  await panel.button('Start').click()
  await panel.root.getByText('Enter a number from 0 to 600.').waitFor()
  await look(page, '02-form-mistakes')
})

test('on its way, working, cancelling and cancelled', async () => {
  const { page, panel } = await openPage()
  const call = await holdBack(page, 'tools/call')
  await panel.start('Research a question', { 'Seconds of work': '600' })
  await panel.says('Sending')
  await look(page, '03-sending')
  call.letGo()
  await panel.says('Working')
  await panel.progress.getByText('Searching sources').waitFor()
  await look(page, '04-working')
  await panel.button('Stop watching').click()
  await panel.says('Not watching')
  await look(page, '05-not-watching')
  await panel.button('Look again').click()
  const cancel = await holdBack(page, 'tasks/cancel')
  await panel.button('Cancel').click()
  await panel.says('Cancelling')
  await look(page, '06-cancelling')
  cancel.letGo()
  await panel.says('Cancelled')
  await panel.root.getByText('What happened').click()
  await look(page, '07-cancelled')
})

test('working, with a percentage', async () => {
  const { page, panel } = await openPage({ search: '?mcp=2025-11-25' })
  await panel.start('Import contacts', { 'Seconds of work': '600' })
  await panel.progress.getByText('0 %').waitFor()
  await look(page, '08-percentage')
})

test('asking, in a form and for an address', async () => {
  const { page, panel } = await openPage()
  await refusePushes(page)
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.says('Waiting for you')
  await look(page, '09-asking')
  await panel.button('Send answer').click()
  await panel.prompt.getByText('Fill this in.').waitFor()
  await look(page, '10-asking-mistakes')
  const params = { mode: 'form', message: 'Everything', requestedSchema: everyKind.schema }
  for (const [name, over] of [
    ['11-every-kind', params],
    ['12-address', { mode: 'url', message: 'Connect your account', url: 'https://accounts.example.com/a?b=1' }],
  ] as const) {
    const stop = await intercept(page, 'tasks/get', (route) =>
      answer(route, (result) => ({
        ...result,
        inputRequests: { [name]: { method: 'elicitation/create', params: over } },
      })),
    )
    await panel.prompt.getByRole('heading', { name: over.message }).waitFor()
    await look(page, name)
    await stop()
  }
})

test('finished: a report, a link to one, a page to read it on', async () => {
  const { page, panel } = await openPage()
  await panel.start('Research a question', { 'Seconds of work': '0' })
  await panel.says('Finished')
  await page.getByRole('link', { name: 'Report: What moves the tides?' }).first().waitFor()
  await look(page, '13-finished')
  await panel.button('Start over').click()
  await panel.start('Research a question', { 'Seconds of work': '0', 'Sources to read': '30' })
  await panel.root.getByRole('link', { name: /^Read/ }).click()
  await page.getByRole('heading', { name: /^Source 30/ }).waitFor()
  await look(page, '14-report', { fullPage: false })
  await page.goBack()
  await panel.says('Finished')
  await page.getByRole('button', { name: 'New run' }).click()
  await new Panel(page).button('Start').waitFor()
  await look(page, '15-link-and-new-run')
})

test('failed: by the tool, and by the call', async () => {
  const { page, panel } = await openPage()
  await panel.start('Import contacts', { 'Seconds of work': '0' })
  await panel.says('Failed')
  await panel.root.getByText('Data of the result').click()
  await look(page, '16-tool-problem')
  await panel.button('Start over').click()
  await panel.start('Synchronise the calendar', { 'Seconds of work': '0' })
  await panel.says('Failed')
  await look(page, '17-call-error')
})

test('gone, out of reach, and of unknown fate', async () => {
  const { page, panel } = await openPage()
  await panel.start('Research a question', { 'Seconds of work': '600' })
  await panel.says('Working')
  let stop = await intercept(page, 'tasks/get', (route) => route.abort())
  await panel.says('Out of reach')
  await look(page, '18-out-of-reach')
  await stop()
  stop = await intercept(page, 'tasks/get', (route, { id }) =>
    route.fulfill({ json: { jsonrpc: '2.0', id, error: { code: -32602, message: 'Unknown task' } } }),
  )
  await panel.button('Look again').click()
  await panel.says('Gone')
  await look(page, '19-gone')
  await stop()
  await panel.button('Start over').click()
  stop = await intercept(page, 'tools/call', (route) => route.abort())
  await panel.button('Start').click()
  await panel.says('Not known')
  await look(page, '20-not-known')
})

test('no server, no reports, no runs', async () => {
  const { page, panel } = await openPage()
  await panel.button('Remove').click()
  await page.getByText('No runs.').waitFor()
  await look(page, '21-no-runs')
  await page.route('**/mcp', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').waitFor()
  await look(page, '22-no-server')
  await page.unroute('**/mcp')
  await page.getByRole('button', { name: 'Connect again' }).click()
  await panel.button('Start').waitFor()
})
