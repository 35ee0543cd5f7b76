import { actionsFor, wordsFor } from '@mcp-task-machine/example-ui'
import { simulations } from '@mcp-task-machine/core/testing'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { seriousFaults } from './support/axe.ts'
import { closePages, openPage } from './support/browser.ts'
import { frameworks } from './support/frameworks.ts'

// Kept out of git: for people to look at.
const SHOTS = fileURLToPath(new URL('./shots/', import.meta.url))

beforeAll(() => mkdir(SHOTS, { recursive: true }))
afterAll(closePages)
// A page full of bars that move would take its time from the tests beside this one.
afterEach(() => current?.context().close())

let current: Page | undefined
async function open(path: string, file = 'states.html') {
  const opened = await openPage({ url: inject('demo').page + path + file })
  current = opened.page
  await current.emulateMedia({ reducedMotion: 'reduce' })
  return opened
}
const section = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })

/** The buttons that a panel has for its view, beside those of a question. */
function buttonsOf(view: (typeof simulations)['queued']['view']): readonly string[] {
  const { retry, canLookAgain, cancel, canStopWatching, canStartOver, canRemove } = actionsFor(view)
  return [
    retry,
    canLookAgain && 'Look again',
    cancel,
    canStopWatching && 'Stop watching',
    canStartOver && 'Start over',
    canRemove && 'Remove',
  ].filter((name): name is string => typeof name === 'string')
}

describe.each(frameworks)('all states in %s', (name, path) => {
  test('each has its panel, under its name, with the buttons that its view allows', async () => {
    const { page, errors, sent } = await open(path)
    await page.getByRole('heading', { level: 1, name: 'All states of a run' }).waitFor()
    for (const { title, sentence, view } of Object.values(simulations)) {
      const state = section(page, title)
      await state.getByText(sentence, { exact: true }).waitFor()
      await state.getByRole('status').getByText(wordsFor(view).title, { exact: true }).waitFor()
      const buttons = await state.locator('.run > .actions').getByRole('button').allTextContents()
      expect(
        buttons.map((text) => text.trim()),
        title,
      ).toEqual(buttonsOf(view))
      expect(await state.getByRole('button', { name: 'Send answer' }).count(), title).toBe(view.canRespond ? 1 : 0)
    }
    expect(await page.getByRole('article').count()).toBe(Object.keys(simulations).length)
    expect(errors).toEqual([])
    expect(sent('tools/call')).toBe(0)
  })

  test('what must not be missed is there, in words', async () => {
    const { page } = await open(path)
    const shown = async (key: keyof typeof simulations, text: string) =>
      section(page, simulations[key].title).getByText(text, { exact: true }).first().waitFor()
    await shown('runningWithPercent', '40 %')
    await shown('failed', 'There is no data for this quarter.')
    await shown('timedOutWithRetry', 'Try again')
    await shown('inputRequired', 'Which ocean do you mean?')
    await shown('cancelRequested', 'Cancelling…')
    await shown('lost', 'Send again')
    await shown('completed', 'The Moon, and a little the Sun.')
    const bars = section(page, simulations.runningWithoutPercent.title).getByRole('progressbar')
    expect(await bars.getAttribute('value')).toBeNull()
  })

  test('they are pictures: pressing a button changes nothing', async () => {
    const { page, errors } = await open(path)
    const buttons = page.getByRole('main').getByRole('button')
    await buttons.first().waitFor()
    const before = await page.getByRole('main').innerText()
    await buttons.evaluateAll((all) => all.forEach((button) => (button as HTMLElement).click()))
    expect(await page.getByRole('main').innerText()).toBe(before)
    expect(errors).toEqual([])
  })

  test('the page begins at its top, can be used by anyone, and fits', async () => {
    const { page } = await open(path)
    await page.getByRole('article').last().waitFor()
    expect(await page.evaluate(() => [document.activeElement?.tagName, scrollY])).toEqual(['H1', 0])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.screenshot({ path: `${SHOTS}states-${name.toLowerCase()}-${colorScheme}.png`, fullPage: true })
      expect(await seriousFaults(page, colorScheme === 'dark'), colorScheme).toEqual([])
    }
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })

  test('the demo leads there, and back', async () => {
    const { page, panel } = await open(path, '')
    await page.getByRole('link', { name: 'All states of a run' }).click()
    await section(page, simulations.queued.title).waitFor()
    await page.getByRole('link', { name: 'Research panel' }).click()
    await panel.button('Start').waitFor()
  })
})
