import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, expect, inject, test } from 'vitest'
import { seriousFaults } from './support/axe.ts'
import { closePages, openPage } from './support/browser.ts'
import { frameworks } from './support/frameworks.ts'
import { TripPane } from './support/trip.ts'
import { holdBack } from './support/wire.ts'

// Kept out of git: for people to look at.
const SHOTS = fileURLToPath(new URL('./shots/', import.meta.url))
const members = ['Flight', 'Hotel', 'Car', 'Restaurant']

afterAll(closePages)

async function open(path: string) {
  const { page, ...rest } = await openPage({ url: inject('demo').page + path })
  return { page, trip: new TripPane(page), ...rest }
}

const isFocused = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector)

test.each(frameworks)(
  '%s: a whole trip: four at once, one fails, one is cancelled alone, one asks, and all settle',
  async (_, path) => {
    const { page, trip, sent, errors } = await open(path)
    const calls = await holdBack(page, 'tools/call')
    await trip.book(2)
    await calls.arrival
    await isFocused(page, 'h2')
    await trip.says('Working', '0 of 4 are over.')
    for (const member of members) await trip.memberSays(member, 'Sending')
    await expect.poll(() => sent('tools/call')).toBe(4)
    expect(await trip.progress.textContent()).toContain('0 of 4')
    await trip.member('Restaurant').getByRole('button', { name: 'Cancel' }).click()
    await trip.memberSays('Restaurant', 'Cancelling')
    calls.letGo()

    await trip.memberSays('Restaurant', 'Cancelled', 'The server has stopped the work.')
    expect(sent('tasks/cancel')).toBe(1)
    await trip.memberSays('Car', 'Failed')
    await trip.member('Car').getByText('Every car is taken on these days.').waitFor()
    await trip.memberSays('Hotel', 'Finished')
    await trip.member('Hotel').getByText('Hotel booked: one room, two nights.').waitFor()

    await trip.memberSays('Flight', 'Waiting for you')
    await trip.says('Waiting for you', '3 of 4 are over.')
    expect(await trip.progress.textContent()).toContain('75 %')
    // Whoever has just cancelled one is not drawn away from it.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Restaurant')
    await trip.member('Flight').getByRole('button', { name: 'Send answer' }).click()
    await trip.memberSays('Flight', 'Finished')
    await trip.member('Flight').getByText('Flight booked: 12:35, one stop, 84 EUR.').waitFor()
    await trip.says('All settled', '2 finished, 1 failed, 1 cancelled.')
    expect(await trip.progress.textContent()).toContain('100 %')

    await trip.button('Book another trip').click()
    await trip.button('Book all').waitFor()
    await isFocused(page, 'h2#trip-heading')
    await trip.book(0)
    await isFocused(page, '.member section.prompt')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await trip.says('All settled', '3 finished, 1 failed.')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Flight')
    expect(sent('tools/call')).toBe(8)
    expect(errors).toEqual([])
  },
)

test.each(frameworks)('%s: a trip goes on while a report is read, and is cancelled as a whole', async (_, path) => {
  const { page, panel, trip, sent, errors } = await open(path)
  await panel.start('Research a question', { Question: 'Where to?', 'Seconds of work': '0' })
  await page.getByRole('link', { name: 'Report: Where to?' }).first().waitFor()
  await trip.book(600)
  for (const member of members) await trip.memberSays(member, 'Working')
  await page.getByRole('link', { name: 'Report: Where to?' }).first().click()
  await page.getByRole('link', { name: 'Back to the runs' }).waitFor()
  expect(await trip.root.count()).toBe(0)
  await page.getByRole('link', { name: 'Back to the runs' }).click()
  for (const member of members) await trip.memberSays(member, 'Working')
  await trip.button('Cancel all').click()
  for (const member of members) await trip.memberSays(member, 'Cancelled', 'The server has stopped the work.')
  await trip.says('All settled', '4 cancelled.')
  await trip.button('Cancel all').click({ force: true })
  expect(sent('tasks/cancel')).toBe(4)
  expect(sent('tools/call')).toBe(5)
  expect(errors).toEqual([])
})

test('a trip looks right, and can be used by anyone, in light and dark, wide and narrow', async () => {
  await mkdir(SHOTS, { recursive: true })
  const { page, trip } = await open('')
  await trip.book(0)
  await trip.says('Waiting for you', '3 of 4 are over.')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.screenshot({ path: `${SHOTS}23-trip-${colorScheme}-${width}.png`, fullPage: true })
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBe(width)
    }
    expect(await seriousFaults(page, colorScheme === 'dark'), colorScheme).toEqual([])
  }
})
