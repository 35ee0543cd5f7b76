import { expect, test } from 'vitest'
import { openWindow, type Ask, type RunPage } from './support/run-page.ts'
import { useSite } from './support/site.ts'

const site = useSite()
const research = (seconds: number) => ({ tool: 'start_research', args: { query: 'tides', seconds, sections: 8 } })

/** Three pages of one window on one run, which the first of them has begun. */
async function openThree(ask: Ask, phase: string): Promise<[RunPage, RunPage, RunPage]> {
  const window = await openWindow()
  const [first, second, third] = [await window.newPage(), await window.newPage(), await window.newPage()]
  await first.goto(site.url, 'React', ask)
  await first.press('fire')
  await first.shows({ phase })
  await Promise.all([second.goto(site.url, 'Vue', ask), third.goto(site.url, 'Svelte', ask)])
  await all([second, third], { phase })
  return [first, second, third]
}

const all = (pages: readonly RunPage[], expected: object) => Promise.all(pages.map((page) => page.shows(expected)))
const reads = (pages: readonly RunPage[]) => pages.map((page) => page.sent('tasks/get'))

test('of three pages one reads for all, and all show the result', async () => {
  const pages = await openThree(research(6), 'working')
  await all(pages, { phase: 'working', progress: { message: expect.stringMatching(/^Reading/) } })
  await all(pages, { phase: 'completed', result: { data: { query: 'tides' } } })
  const [first, ...others] = reads(pages)
  expect(first).toBeGreaterThan(0)
  expect(others).toEqual([0, 0])
  expect(site.count('tasks/get')).toBe(first)
  expect(site.count('tools/call')).toBe(1)
  expect(await pages[2].stored()).toBeNull()
})

test('when the page that reads is closed, one of the others goes on', async () => {
  const [first, ...others] = await openThree(research(6), 'working')
  await expect.poll(() => first.sent('tasks/get')).toBeGreaterThan(0)
  expect(reads(others)).toEqual([0, 0])
  await first.page.close()
  await all(others, { phase: 'completed' })
  expect(
    reads(others)
      .map((count) => count > 0)
      .toSorted(),
  ).toEqual([false, true])
  expect(site.count('tools/call')).toBe(1)
})

test.each(['2026-07-28', '2025-11-25'])('over %s a cancel in one page shows in all', async (mcp) => {
  const pages = await openThree({ ...research(600), mcp }, 'working')
  await pages[2].press('cancel')
  await all(pages, { phase: 'cancelled' })
  expect(site.count('tasks/cancel')).toBe(1)
})

test.each([
  ['2026-07-28', 1],
  // There the answer is the response to the server's own request.
  ['2025-11-25', 0],
])('over %s a question is answered once, in any of the pages', async (mcp, updates) => {
  const flight = { tool: 'book_part', args: { part: 'flight', destination: 'Oslo', seconds: 1 }, mcp }
  const pages = await openThree(flight, 'input_required')
  await all(pages, { canRespond: true })
  await pages[1].press('respond')
  await all(pages, { phase: 'completed', inputRequests: {}, result: { data: { booked: true } } })
  expect(site.count('tasks/update')).toBe(updates)
})
