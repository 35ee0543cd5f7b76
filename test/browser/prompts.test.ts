import type { Page } from 'playwright-core'
import { afterAll, expect, inject, test } from 'vitest'
import { closePages, openPage } from './support/browser.ts'
import { everyKind } from './support/every-kind.ts'
import { frameworks } from './support/frameworks.ts'
import { answer, intercept, refusePushes } from './support/wire.ts'

afterAll(closePages)

const isFocused = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector)

/** The server's first question becomes `params`; what the page answers is kept, and put right for the server. */
async function askInstead(page: Page, params: object) {
  const answers: unknown[] = []
  await refusePushes(page)
  await intercept(page, 'tasks/get', (route) =>
    answer(route, (result) => {
      const { trip } = result['inputRequests'] ?? {}
      return trip ? { ...result, inputRequests: { trip: { ...trip, params } } } : result
    }),
  )
  await intercept(page, 'tasks/update', async (route, message) => {
    answers.push(message['params']['inputResponses']['trip'])
    message['params']['inputResponses'] = { trip: { action: 'decline' } }
    await route.continue({ postData: JSON.stringify(message) })
  })
  return answers
}

test('two prompts are answered on the way, by keyboard, and the focus goes there and back', async () => {
  const { page, panel } = await openPage()
  await panel.root.getByRole('radio', { name: 'Book a trip' }).check()
  await panel.field('Destination').fill('Oslo')
  await panel.field('Seconds of work').fill('1')
  await panel.field('Seconds of work').press('Enter')
  await isFocused(page, 'h3')
  await panel.says('Waiting for you', 'The work goes on once you have answered.')
  await isFocused(page, 'section.prompt')
  await panel.prompt.getByRole('heading', { name: 'Which flight to Oslo?' }).waitFor()

  // The first option that is chosen takes the keyboard; what is wrong is said where it is, and gets the focus.
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  expect(await panel.root.getByRole('radio', { name: '20:50, direct, 99 EUR' }).isChecked()).toBe(true)
  await panel.field('Travellers (optional)').fill('12')
  await page.keyboard.press('Enter')
  await isFocused(page, 'input[type=number]')
  await panel.prompt.getByText('Enter a number from 1 to 9.').waitFor()
  await panel.prompt.getByText('Fill this in.').waitFor()
  expect(await panel.field('Send the tickets to').getAttribute('aria-invalid')).toBe('true')
  await panel.field('Travellers (optional)').fill('2')
  await panel.field('Send the tickets to').fill('ada@example')
  await page.keyboard.press('Enter')
  await panel.prompt.getByText('Enter an e-mail address, like name@example.com.').waitFor()
  await panel.field('Send the tickets to').fill('ada@example.com')
  await page.keyboard.press('Enter')

  await panel.prompt.getByRole('heading', { name: 'Book 20:50, direct, 99 EUR to Oslo for 2?' }).waitFor()
  await isFocused(page, 'section.prompt')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await isFocused(page, 'h3')
  await panel.says('Finished')
  await panel.root.getByText('Booked: 20:50, direct, 99 EUR to Oslo. Tickets go to ada@example.com.').waitFor()
  const history = await panel.history()
  expect(history.filter((text) => text.startsWith('The server asks:'))).toHaveLength(2)
  expect(history).toContain('Answered')
})

test('a prompt is declined, and the run goes on without an answer', async () => {
  const { panel } = await openPage()
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.prompt.waitFor()
  await panel.button('Decline').click()
  await panel.says('Finished')
  await panel.root.getByText('No flight was chosen, so nothing was booked.').waitFor()
})

test('an answer that the server refuses opens the prompt again and says why', async () => {
  const { page, panel } = await openPage()
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.field('Send the tickets to').fill('ada@example.com')
  const stop = await intercept(page, 'tasks/update', async (route, message) => {
    const { trip } = message['params']['inputResponses']
    message['params']['inputResponses'] = { trip: { ...trip, content: { flight: 'never' } } }
    await route.continue({ postData: JSON.stringify(message) })
  })
  await panel.button('Send answer').click()
  await panel.root.locator('.problem').getByText('does not fit its form').waitFor()
  await stop()
  expect(await panel.field('Send the tickets to').inputValue()).toBe('ada@example.com')
  await panel.button('Send answer').click()
  await panel.prompt.getByText(/^Book 12:35/).waitFor()
})

test.each(frameworks)('%s: every kind of field is drawn from its schema, checked, and read', async (_, path) => {
  const { page, panel } = await openPage({ url: inject('demo').page + path })
  const answers = await askInstead(page, { mode: 'form', message: 'Everything', requestedSchema: everyKind.schema })
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.prompt.getByRole('heading', { name: 'Everything' }).waitFor()
  await panel.button('Send answer').click()
  expect(await panel.prompt.locator('.field-problem').allTextContents()).toEqual(everyKind.problems)

  await panel.field('Full name').fill('Ada')
  await panel.field('Code (optional)').fill('AB')
  await panel.field('Website (optional)').fill('https://example.com')
  await panel.field('Birthday (optional)').fill('1815-12-10')
  await panel.field('Appointment (optional)').fill('2026-05-04T10:30')
  await panel.field('Height').fill('1.7')
  await panel.field('Size').selectOption({ label: 'Large' })
  await panel.field('Colour (optional)').selectOption('red')
  await panel.root.getByRole('group', { name: 'Toppings' }).getByLabel('Cheese').check()
  await panel.root.getByRole('group', { name: 'Days' }).getByLabel('Tuesday').check()
  await panel.button('Send answer').click()
  expect(await panel.prompt.locator('.field-problem').allTextContents()).toEqual([
    'This must look like ^[A-Z]{3}$.',
    'Choose at least 2.',
  ])
  await panel.field('Code (optional)').fill('ABC')
  await panel.root.getByRole('group', { name: 'Toppings' }).getByLabel('Olives').check()
  await panel.button('Send answer').click()
  await panel.says('Finished')
  const appointment = await page.evaluate(() => new Date('2026-05-04T10:30').toISOString())
  expect(answers).toEqual([{ action: 'accept', content: { ...everyKind.content, appointment } }])
})

test.each(frameworks)(
  '%s: an address is shown whole and opened only on consent, in a tab that knows nothing of this page',
  async (_, path) => {
    const { page, panel } = await openPage({ url: inject('demo').page + path })
    const url = 'https://accounts.example.com/consent?request=1#top'
    await page.context().route('https://accounts.example.com/**', (route) => route.fulfill({ body: 'Consent page' }))
    const answers = await askInstead(page, { mode: 'url', message: 'Connect your account', url, elicitationId: 'e' })
    await panel.start('Book a trip', { 'Seconds of work': '0' })
    await panel.prompt.getByRole('heading', { name: 'Connect your account' }).waitFor()
    expect(await panel.prompt.locator('.address').textContent()).toBe(url)
    expect(await panel.prompt.locator('.address strong').textContent()).toBe('accounts.example.com')
    expect(page.context().pages()).toHaveLength(1)
    const [opened] = await Promise.all([page.context().waitForEvent('page'), panel.button('Open in a new tab').click()])
    await opened.waitForURL(url)
    expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
    await panel.says('Finished')
    expect(answers).toEqual([{ action: 'accept' }])
  },
)

test('an address that is no web page is not offered', async () => {
  const { page, panel } = await openPage()
  const answers = await askInstead(page, { mode: 'url', message: 'Trust me', url: 'javascript:alert(1)' })
  await panel.start('Book a trip', { 'Seconds of work': '0' })
  await panel.prompt.getByText('This page cannot answer that.').waitFor()
  expect(await panel.button('Open in a new tab').count()).toBe(0)
  await panel.button('Dismiss').click()
  await panel.says('Finished')
  expect(answers).toEqual([{ action: 'cancel' }])
})
