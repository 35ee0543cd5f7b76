import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect, disconnectAll, run } from '../end-to-end/support.ts'
import { openRealBrowser, type RealTab } from './support/real-tabs.ts'
import type { Ask } from './support/run-page.ts'
import { useSite } from './support/site.ts'

const site = useSite()
let browser: Awaited<ReturnType<typeof openRealBrowser>>
beforeAll(async () => {
  browser = await openRealBrowser()
})
beforeEach(() => site.refusePushes())
afterEach(async () => {
  await disconnectAll()
  await browser.closeTabs()
})
afterAll(() => browser.close())

const research = (seconds = 2) => ({ tool: 'start_research', args: { query: 'tides', seconds, sections: 8 } })
const flight = { tool: 'book_part', args: { part: 'flight', destination: 'Oslo', seconds: 1 } }

/** Opens a page in front. */
async function open(framework: string, { args, ...ask }: Ask): Promise<RealTab> {
  const tab = await browser.newTab()
  await tab.show()
  const search = new URLSearchParams({ ...ask, args: JSON.stringify(args) } as unknown as Record<string, string>)
  await tab.goto(`${site.url}${framework}.html?${search}`)
  return tab
}

/** Opens a page in front and begins a run on it. */
async function begin(framework: string, ask: Ask = research(), phase = 'working'): Promise<RealTab> {
  const tab = await open(framework, ask)
  await tab.shows({ phase: 'idle' })
  await tab.press('fire')
  await tab.shows({ phase })
  return tab
}

/** The task ends, as somebody else sees. @returns where the proxy's record stands then */
async function endElsewhere(tab: RealTab): Promise<number> {
  const { server } = await (await fetch(`${site.url}config.json`)).json()
  const reference = JSON.parse(await tab.evaluate(`localStorage.getItem('run')`))
  const runner = run(await connect(new URL(server)), 'start_research')
  await runner.resume(reference)
  await runner.result()
  return site.methods.length
}

const finished = { phase: 'completed', detachedBecause: null, result: { data: { query: 'tides' } } }

describe.each(['React', 'Vue', 'Svelte'])('a page in %s', (framework) => {
  test('behind another tab rests, and reads once when it is in front again', async () => {
    const tab = await begin(framework)
    await (await browser.newTab()).show()
    await tab.shows({ phase: 'working', detachedBecause: 'hidden', isStale: true })
    const before = await endElsewhere(tab)
    await tab.shows({ phase: 'working' })
    await tab.show()
    await tab.shows(finished)
    expect(site.ofRun(before)).toEqual(['tasks/get'])
    expect(site.count('tools/call')).toBe(1)
  })

  test('back from the back/forward cache is the page that was left, and reads once', async () => {
    const tab = await begin(framework)
    await tab.evaluate(`addEventListener('pageshow', ({ persisted }) => (window.wasKept = persisted))`)
    const reference = await tab.evaluate(`localStorage.getItem('run')`)
    await tab.goto(`${site.url}config.json`)
    expect(await tab.evaluate(`localStorage.getItem('run')`)).toContain(JSON.parse(reference).taskId)
    const before = await endElsewhere(tab)
    await tab.evaluate('history.back()')
    await tab.shows(finished)
    expect(await tab.evaluate('window.wasKept')).toBe(true)
    expect(site.ofRun(before)).toEqual(['tasks/get'])
    expect(site.count('tools/call')).toBe(1)
  })
})

test('frozen behind another tab, it rests; let go on, it rests still; in front again it reads once', async () => {
  const tab = await begin('React')
  await (await browser.newTab()).show()
  await tab.shows({ detachedBecause: 'hidden' })
  await tab.freeze(true)
  const before = await endElsewhere(tab)
  await tab.freeze(false)
  await tab.shows({ phase: 'working', detachedBecause: 'hidden' })
  expect(site.ofRun(before)).toEqual([])
  await tab.show()
  await tab.shows(finished)
  expect(site.ofRun(before)).toEqual(['tasks/get'])
})

test('one that goes on in the background reads there, stands still while frozen, and makes up for it with one read', async () => {
  const tab = await begin('React', { ...research(4), background: '' })
  await (await browser.newTab()).show()
  const message = async () => (await tab.view())?.progress?.message
  const before = await message()
  await expect.poll(message).not.toBe(before)
  await tab.freeze(true)
  const ended = await endElsewhere(tab)
  await tab.freeze(false)
  await tab.shows(finished)
  expect(site.ofRun(ended)).toEqual(['tasks/get'])
  expect(site.count('tools/call')).toBe(1)
})

test.each([{}, { background: '' as const }])(
  'another tab takes over from one in the back/forward cache (%j)',
  async (how) => {
    const ask = { ...research(4), ...how }
    const left = await begin('React', ask)
    await left.goto(`${site.url}config.json`)
    const other = await open('Vue', ask)
    await other.shows(finished)
    const before = site.methods.length
    // What the other tab said had the browser drop the page that was left: it is loaded anew, and there is nothing to go on with.
    await left.evaluate('history.back()')
    await left.show()
    await left.shows({ phase: 'idle' })
    expect(site.ofRun(before)).toEqual([])
    expect(site.count('tools/call')).toBe(1)
  },
)

test.each(['2026-07-28', '2025-11-25'])(
  'over %s a question to a tab that is left is answered in the next one',
  async (mcp) => {
    const ask = { ...flight, mcp }
    const left = await begin('React', ask, 'input_required')
    await left.shows({ canRespond: true })
    const next = await open('Vue', ask)
    await left.shows({ detachedBecause: 'hidden' })
    await next.shows({ phase: 'input_required', canRespond: true })
    await next.press('respond')
    const booked = { phase: 'completed', inputRequests: {}, result: { data: { part: 'flight', booked: true } } }
    await next.shows(booked)
    await left.show()
    await left.shows(booked)
    expect(site.count('tools/call')).toBe(1)
  },
)
