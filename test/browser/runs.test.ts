import { afterAll, expect, test } from 'vitest'
import { closePages, openPage } from './support/browser.ts'
import { Panel } from './support/panel.ts'
import { holdBack } from './support/wire.ts'

afterAll(closePages)

test('a research run goes to its end: what it is doing, its report, its history, one call', async () => {
  const { panel, errors, sent } = await openPage()
  await panel.start('Research a question', { Question: 'Why is the sea salt?', 'Seconds of work': '2' })
  await panel.says('Working')
  await panel.progress.getByText(/^Reading \d of 8$/).waitFor()
  // The server gives no numbers here, and none are invented.
  expect(await panel.root.getByRole('progressbar').getAttribute('value')).toBeNull()
  await panel.says('Finished', 'The result is below.')
  await panel.root.getByRole('heading', { name: 'Source 8: trends' }).waitFor()
  expect(await panel.root.getByRole('heading', { level: 3 }).textContent()).toBe('Why is the sea salt?')
  const history = await panel.history()
  expect(history).toEqual(
    expect.arrayContaining([
      'Sending',
      'Accepted by the server as a task',
      'Working',
      'Finished. The result is below.',
    ]),
  )
  expect(sent('tools/call')).toBe(1)
  expect(errors).toEqual([])
})

test('a run is cancelled: asked for, then confirmed, and it can be run again', async () => {
  const { page, panel, sent } = await openPage()
  await panel.start('Research a question', { 'Seconds of work': '600' })
  await panel.says('Working')
  const { arrival, letGo } = await holdBack(page, 'tasks/cancel')
  await panel.button('Cancel').click()
  await arrival
  await panel.says('Cancelling', 'It may still finish first.')
  const button = panel.button('Cancelling…')
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await button.click({ force: true })
  letGo()
  await panel.says('Cancelled', 'The server has stopped the work.')
  expect(sent('tasks/cancel')).toBe(1)
  await panel.button('Try again').click()
  await panel.says('Working')
  expect(sent('tools/call')).toBe(2)
  await panel.button('Cancel').click()
  await panel.says('Cancelled')
})

test('a cancel that comes too late leaves the result', async () => {
  const { page, panel } = await openPage()
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.says('Waiting for you')
  const { letGo } = await holdBack(page, 'tasks/cancel')
  await panel.field('Send the tickets to').fill('ada@example.com')
  await panel.button('Send answer').click()
  await panel.prompt.getByText(/^Book 12:35/).waitFor()
  const answers = await holdBack(page, 'tasks/update')
  await panel.field('Yes, book it').check()
  await panel.button('Send answer').click()
  await answers.arrival
  await panel.button('Cancel').click()
  await panel.says('Cancelling')
  answers.letGo()
  await panel.says('Finished', 'It was done before it could be cancelled.')
  await panel.root.getByText(/^Booked: 12:35/).waitFor()
  letGo()
})

test('a problem that the tool reports is shown once, with its data, and can be tried again', async () => {
  const { panel } = await openPage()
  await panel.start('Import contacts', { Contacts: '10', 'Seconds of work': '0' })
  await panel.says('Failed', 'The tool ran and reports a problem.')
  expect(await panel.root.locator('.problem').textContent()).toMatch(/^Row 7 has no e-mail address/)
  expect(await panel.root.locator('.result .text').count()).toBe(0)
  await panel.root.getByText('Data of the result').click()
  expect(JSON.parse((await panel.root.locator('pre').textContent())!)).toEqual({ imported: 6, brokenRow: 7 })
  await panel.button('Try again').waitFor()
})

test('an error of the call has no result; trying again calls again', async () => {
  const { panel, sent } = await openPage()
  await panel.start('Synchronise the calendar', { 'Seconds of work': '0' })
  await panel.says('Failed', 'The calendar service hung up.')
  expect(await panel.root.getByRole('group', { name: 'Result', exact: true }).count()).toBe(0)
  await panel.button('Try again').click()
  await panel.root.getByText('What happened').click()
  await panel.root.getByText('Started again: run 2').waitFor()
  await panel.says('Failed')
  expect(sent('tools/call')).toBe(2)
  await panel.button('Start over').click()
  await panel.button('Start').waitFor()
  expect(await panel.field('Seconds of work').inputValue()).toBe('0')
})

test('two runs go on side by side, and a prompt in one takes no focus from the other', async () => {
  const { page, panel, sent } = await openPage()
  await panel.start('Book a trip', { 'Seconds of work': '2' })
  await page.getByRole('button', { name: 'New run' }).click()
  const [fresh, trip] = [new Panel(page, 0), new Panel(page, 1)]
  await fresh.field('Question').fill('Which winds are steady?')
  await trip.says('Waiting for you')
  expect(await fresh.field('Question').evaluate((input) => input === document.activeElement)).toBe(true)
  await fresh.start('Research a question', { 'Seconds of work': '1' })
  await fresh.says('Finished')
  await trip.says('Waiting for you')
  await trip.button('Decline').click()
  await trip.says('Finished')
  await fresh.button('Remove').click()
  expect(await page.getByRole('article').count()).toBe(1)
  expect(sent('tools/call')).toBe(2)
})

test('more runs than a browser has connections to one server do not starve each other', async () => {
  const { page } = await openPage()
  for (let nth = 0; nth < 8; nth++) {
    if (nth > 0) await page.getByRole('button', { name: 'New run' }).click()
    await new Panel(page).start('Book a trip', { 'Seconds of work': '0' })
  }
  const panels = Array.from({ length: 8 }, (_, nth) => new Panel(page, nth))
  await Promise.all(panels.map((panel) => panel.says('Waiting for you')))
  await panels[7]!.button('Decline').click()
  await panels[7]!.says('Finished')
})

test('a run goes on while another part of the page is shown, unread, and is there again afterwards', async () => {
  const { page, panel, sent } = await openPage()
  await panel.start('Research a question', { Question: 'First', 'Seconds of work': '0' })
  await panel.says('Finished')
  await panel.button('Start over').click()
  await panel.start('Research a question', { Question: 'Second', 'Seconds of work': '2' })
  await panel.says('Working')
  const reports = page.getByRole('complementary', { name: 'Reports' })
  await reports.getByRole('link', { name: 'Report: First' }).click()
  const heading = page.getByRole('heading', { level: 2, name: 'First' })
  await heading.waitFor()
  expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true)
  const reads = sent('tasks/get')
  await reports.getByRole('link', { name: 'Report: Second' }).waitFor()
  // One may have been on its way.
  expect(sent('tasks/get') - reads).toBeLessThanOrEqual(1)
  await page.getByRole('link', { name: 'Back to the runs' }).click()
  await panel.says('Finished')
  expect(await panel.root.getByRole('heading', { level: 3 }).textContent()).toBe('Second')
  expect(sent('tools/call')).toBe(2)
})

test('a reloaded page goes on with its run, and finds its result, without calling again', async () => {
  const { page, panel, sent } = await openPage()
  await panel.start('Research a question', { Question: 'Over a reload', 'Seconds of work': '2' })
  await panel.says('Working')
  await page.reload()
  await panel.says('Finished')
  expect(await panel.root.getByRole('heading', { level: 3 }).textContent()).toBe('Over a reload')
  await page.reload()
  await panel.says('Finished')
  await panel.root.getByRole('heading', { name: 'Source 1: history' }).waitFor()
  expect(sent('tools/call')).toBe(1)
})

test('watching can be stopped and gone on with', async () => {
  const { panel } = await openPage()
  await panel.start('Research a question', { 'Seconds of work': '1' })
  await panel.button('Stop watching').click()
  await panel.says('Not watching')
  await panel.button('Look again').click()
  await panel.says('Finished')
})

test('a result that is too long to send comes as a link that is read on a click', async () => {
  const { page, panel, sent } = await openPage()
  await panel.start('Research a question', { Question: 'Long', 'Seconds of work': '0', 'Sources to read': '40' })
  await panel.says('Finished')
  const reads = sent('resources/read')
  const link = panel.root.getByRole('link', { name: 'Read “Report: Long”' })
  await link.waitFor()
  expect(sent('resources/read')).toBe(reads)
  await link.click()
  await page.getByRole('heading', { name: 'Source 40: trends' }).waitFor()
  expect(sent('resources/read')).toBe(reads + 1)
})
