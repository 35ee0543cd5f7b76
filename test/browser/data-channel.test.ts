import { afterAll, expect, inject, test } from 'vitest'
import { connect, disconnectAll, run } from '../end-to-end/support.ts'
import { closePages, openPage } from './support/browser.ts'
import { intercept } from './support/wire.ts'

afterAll(async () => {
  await disconnectAll()
  await closePages()
})

test('a report that somebody else had written appears, without a run on this page', async () => {
  const { page, panel, sent } = await openPage()
  await panel.button('Start').waitFor()
  const runner = run(await connect(new URL(inject('demo').server)), 'start_research')
  await runner.fire({ query: 'Seen from elsewhere', seconds: 0 })
  runner.dispose()
  await page.getByRole('link', { name: 'Report: Seen from elsewhere' }).waitFor()
  expect(sent('tools/call')).toBe(0)
})

test('the list is read again once, when the server says that it changed', async () => {
  const { page, panel, sent } = await openPage()
  await panel.start('Research a question', { Question: 'Told once', 'Seconds of work': '1' })
  await page.getByRole('link', { name: 'Report: Told once' }).waitFor()
  await panel.says('Finished')
  expect(sent('resources/list')).toBe(2)
})

test('a result alone does not change the list', async () => {
  const { page, panel, sent } = await openPage()
  await page.getByRole('link', { name: 'Report: Told once' }).waitFor()
  // The stream that is open ends with the page; those after it never come to be.
  await intercept(page, 'subscriptions/listen', (route) => route.abort())
  const lists = sent('resources/list')
  await page.reload()
  await panel.start('Research a question', { Question: 'Not told', 'Seconds of work': '0' })
  await panel.says('Finished')
  await panel.root.getByRole('heading', { name: 'Source 8: trends' }).waitFor()
  expect(sent('resources/list') - lists).toBe(1)
  expect(await page.getByRole('link', { name: 'Report: Not told' }).count()).toBe(0)
})
