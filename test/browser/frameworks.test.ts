import type { Frame, Page } from 'playwright-core'
import { afterAll, expect, inject, test } from 'vitest'
import { closePages, openPage } from './support/browser.ts'
import { frameworks } from './support/frameworks.ts'
import { Panel } from './support/panel.ts'

const pageAt = (path: string) => inject('demo').page + path
afterAll(closePages)

const isFocused = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector)

test.each(frameworks)('%s: a run goes to its end, is read, and is there again after a reload', async (name, path) => {
  const { page, panel, errors, sent } = await openPage({ url: pageAt(path) })
  const question = `Asked in ${name}`
  await panel.start('Research a question', { Question: question, 'Seconds of work': '1' })
  await panel.says('Working')
  await panel.says('Finished', 'The result is below.')
  await panel.root.getByRole('heading', { level: 4, name: 'Source 8: trends' }).waitFor()
  expect(await panel.root.getByRole('heading', { level: 3 }).textContent()).toBe(question)
  const history = ['Sending', 'Accepted by the server as a task', 'Working', 'Finished. The result is below.']
  expect(await panel.history()).toEqual(expect.arrayContaining(history))

  // The list is told by the server; a report takes the place of the runs, which are kept meanwhile.
  await page.getByRole('link', { name: `Report: ${question}` }).click()
  await page.getByRole('heading', { level: 2, name: question }).waitFor()
  await isFocused(page, 'h2')
  await page.getByRole('link', { name: 'Back to the runs' }).click()
  await panel.says('Finished')
  await page.reload()
  await panel.says('Finished')
  expect(sent('tools/call')).toBe(1)

  await panel.button('Start over').click()
  expect(await panel.field('Question').inputValue()).toBe(question)
  await panel.button('Remove').click()
  await page.getByText('No runs.').waitFor()
  expect(errors).toEqual([])
})

test.each(frameworks)('%s: prompts are answered, and the focus goes there and back', async (_, path) => {
  const { page, panel, errors } = await openPage({ url: pageAt(path) })
  await panel.start('Book a trip', { Destination: 'Oslo', 'Seconds of work': '0' })
  await panel.says('Waiting for you')
  await isFocused(page, 'section.prompt')
  await panel.root.getByRole('radio', { name: '20:50, direct, 99 EUR' }).check()
  await panel.field('Travellers (optional)').fill('12')
  await panel.button('Send answer').click()
  await panel.prompt.getByText('Enter a number from 1 to 9.').waitFor()
  await isFocused(page, 'input[type=number]')
  await panel.field('Travellers (optional)').fill('2')
  await panel.field('Send the tickets to').fill('ada@example.com')
  await page.keyboard.press('Enter')
  await panel.prompt.getByRole('heading', { name: 'Book 20:50, direct, 99 EUR to Oslo for 2?' }).waitFor()
  await isFocused(page, 'section.prompt')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await panel.says('Finished')
  await panel.root.getByText('Booked: 20:50, direct, 99 EUR to Oslo. Tickets go to ada@example.com.').waitFor()
  await isFocused(page, 'h3')
  expect(errors).toEqual([])
})

test.each(frameworks)('%s: a run is cancelled, and tried again', async (_, path) => {
  const { panel, errors, sent } = await openPage({ url: pageAt(path) })
  await panel.start('Research a question', { 'Seconds of work': '600' })
  await panel.says('Working')
  await panel.button('Cancel').click()
  await panel.says('Cancelled', 'The server has stopped the work.')
  await panel.button('Try again').click()
  await panel.says('Working')
  await panel.button('Stop watching').click()
  await panel.says('Not watching')
  await panel.button('Look again').click()
  await panel.says('Working')
  await panel.button('Cancel').click()
  await panel.says('Cancelled')
  expect(sent('tools/call')).toBe(2)
  expect(errors).toEqual([])
})

test('side by side, the three follow the same tasks', async () => {
  const { page, sent, errors } = await openPage({ url: pageAt('side-by-side/') })
  const panels = await Promise.all(frameworks.map(async ([name]) => new Panel(await frameOf(page, name))))
  const [react, vue, svelte] = panels as [Panel, Panel, Panel]
  const all = (title: string) => Promise.all(panels.map((panel) => panel.says(title)))

  await react.start('Book a trip', { Destination: 'Oslo', 'Seconds of work': '0' })
  await all('Waiting for you')
  await vue.button('Decline').click()
  await all('Finished')
  await svelte.button('Start over').click()
  await Promise.all(panels.map((panel) => panel.button('Start').waitFor()))
  await svelte.start('Research a question', { 'Seconds of work': '600' })
  await all('Working')
  await react.button('Cancel').click()
  await all('Cancelled')
  // Tried again where it was begun, it is a task of its own, which the others follow.
  await svelte.button('Try again').click()
  await all('Working')
  await vue.button('Cancel').click()
  await all('Cancelled')
  await vue.button('Remove').click()
  await Promise.all(panels.map((panel) => panel.root.waitFor({ state: 'detached' })))
  expect(sent('tools/call')).toBe(3)
  expect(errors).toEqual([])
})

async function frameOf(page: Page, title: string): Promise<Frame> {
  const element = await page.locator(`iframe[title="${title}"]`).elementHandle()
  return (await element!.contentFrame())!
}
