import { afterAll, expect, test } from 'vitest'
import { closePages, openPage } from './support/browser.ts'

// What differs on the wire is the server's and the connection's affair: the page is the same.
const open = () => openPage({ search: '?mcp=2025-11-25' })
afterAll(closePages)

test('over 2025-11-25 a run shows percentages, survives a reload and announces its report', async () => {
  const { page, panel, sent } = await open()
  await panel.start('Research a question', { Question: 'Older, not slower?', 'Seconds of work': '3' })
  await panel.progress.getByText(/^\d0 %$/).waitFor()
  expect(Number(await panel.root.getByRole('progressbar').getAttribute('value'))).toBeGreaterThan(0)
  await page.reload()
  await panel.says('Finished')
  await page.getByRole('link', { name: 'Report: Older, not slower?' }).waitFor()
  expect(sent('tools/call')).toBe(1)
})

test('over 2025-11-25 prompts are answered, and one is dismissed', async () => {
  const { panel } = await open()
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.prompt.getByRole('heading', { name: 'Which flight to Lisbon?' }).waitFor()
  await panel.field('Send the tickets to').fill('ada@example.com')
  await panel.button('Send answer').click()
  await panel.prompt.getByRole('heading', { name: /^Book 12:35/ }).waitFor()
  await panel.button('Dismiss').click()
  await panel.says('Finished')
  await panel.root.getByText('The seats were released, nothing was booked.').waitFor()
})

test('over 2025-11-25 a run is cancelled', async () => {
  const { panel } = await open()
  await panel.start('Research a question', { 'Seconds of work': '600' })
  await panel.says('Working')
  await panel.button('Cancel').click()
  await panel.says('Cancelled')
})
