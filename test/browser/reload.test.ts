import { describe, expect, test } from 'vitest'
import type { Framework } from './support/pages.ts'
import { openWindow, type Ask, type RunPage } from './support/run-page.ts'
import { useSite } from './support/site.ts'
import { holdBack } from './support/wire.ts'

const site = useSite()
const research = (seconds: number) => ({ tool: 'start_research', args: { query: 'tides', seconds, sections: 8 } })
const flight = { tool: 'book_part', args: { part: 'flight', destination: 'Oslo', seconds: 1 } }

/** Opens a page and begins a run on it. */
async function begin(framework: Framework, ask: Ask): Promise<RunPage> {
  const run = await (await openWindow()).newPage()
  await run.goto(site.url, framework, ask)
  await run.press('fire')
  return run
}

/** @returns where the proxy's record stood */
async function reload({ page }: RunPage): Promise<number> {
  const before = site.methods.length
  await page.reload()
  return before
}

const pairs: [Framework, string][] = [
  ['React', '2026-07-28'],
  ['React', '2025-11-25'],
  ['Vue', '2026-07-28'],
  ['Svelte', '2026-07-28'],
]
describe.each(pairs)('reloaded, a page in %s over %s', (framework, mcp) => {
  test('goes on with a run in progress, by reading it', async () => {
    const run = await begin(framework, { ...research(2), mcp })
    await run.shows({ phase: 'working', progress: { message: expect.stringMatching(/^Reading/) } })
    const before = await reload(run)
    await run.shows({ phase: 'completed', attempt: 1, error: null, result: { data: { query: 'tides' } } })
    expect(site.ofRun(before)[0]).toBe('tasks/get')
    expect(site.count('tools/call')).toBe(1)
    expect(await run.stored()).toBeNull()
    expect(run.errors).toEqual([])
  })

  test('asks an open question again, and takes its answer', async () => {
    const run = await begin(framework, { ...flight, mcp })
    await run.shows({ phase: 'input_required', canRespond: true })
    const before = await reload(run)
    await run.shows({ phase: 'input_required', canRespond: true })
    expect(site.ofRun(before)[0]).toBe('tasks/get')
    await run.press('respond')
    await run.shows({ phase: 'completed', result: { data: { part: 'flight', booked: true } } })
    expect(site.count('tools/call')).toBe(1)
    expect(run.errors).toEqual([])
  })

  test('still cancels what it was asked to cancel', async () => {
    const run = await begin(framework, { ...research(600), mcp })
    await run.shows({ phase: 'working', canCancel: true })
    const cancels = await holdBack(run.page, 'tasks/cancel')
    await run.press('cancel')
    await cancels.arrival
    await run.shows({ phase: 'cancelling' })
    expect(site.count('tasks/cancel')).toBe(0)
    await reload(run)
    cancels.letGo()
    await run.shows({ phase: 'cancelled' })
    expect([site.count('tools/call'), site.count('tasks/cancel')]).toEqual([1, 1])
    expect(await run.stored()).toBeNull()
  })

  test('knows that a call whose answer it never saw is lost, and does not call again', async () => {
    const run = await (await openWindow()).newPage()
    await run.goto(site.url, framework, { ...research(1), mcp })
    const answered = site.keepAnswer('tools/call')
    await run.press('fire')
    await answered
    await run.shows({ phase: 'submitting' })
    const before = await reload(run)
    await run.shows({ phase: 'detached', detachedBecause: 'lost', error: { kind: 'lost' }, canRetry: false })
    expect(site.ofRun(before)).toEqual([])
    expect(site.count('tools/call')).toBe(1)
  })
})

describe.each(pairs)('reloaded, a page in %s over %s', (framework, mcp) => {
  test('knows that a plain call went with the page that made it', async () => {
    const run = await begin(framework, { ...research(600), mcp, plain: '' })
    await expect.poll(() => site.count('tools/call')).toBe(1)
    await run.shows({ phase: 'submitting' })
    const before = await reload(run)
    await run.shows({ phase: 'detached', detachedBecause: 'lost' })
    expect(site.ofRun(before)).toEqual([])
  })

  test('takes up what the page before had let go of', async () => {
    const run = await begin(framework, { ...research(2), mcp })
    await run.shows({ phase: 'working' })
    await run.press('detach')
    await run.shows({ phase: 'working', detachedBecause: 'asked' })
    const before = await reload(run)
    await run.shows({ phase: 'completed' })
    expect(site.ofRun(before)[0]).toBe('tasks/get')
    expect(site.count('tools/call')).toBe(1)
  })

  test('goes on with what the page before did not wait for', async () => {
    const ask = { ...research(2), mcp }
    const run = await begin(framework, { ...ask, maxWait: 1000 })
    await run.shows({ phase: 'detached', detachedBecause: 'timeout' })
    const before = site.methods.length
    await run.goto(site.url, framework, ask)
    await run.shows({ phase: 'completed' })
    expect(site.ofRun(before)[0]).toBe('tasks/get')
    expect(site.count('tools/call')).toBe(1)
  })

  test('tells of a task that the server has forgotten, and has nothing more to do with it after that', async () => {
    const ask = { ...research(600), mcp }
    const run = await begin(framework, ask)
    await run.shows({ phase: 'working' })
    // Away first: else the page that is left may still hear of it.
    await run.page.goto('about:blank')
    await site.forget()
    const before = site.methods.length
    await run.goto(site.url, framework, ask)
    await run.shows({ phase: 'expired', error: { kind: 'expired' } })
    expect(site.ofRun(before)).toEqual(['tasks/get'])
    const after = await reload(run)
    await run.shows({ phase: 'idle' })
    expect(site.ofRun(after)).toEqual([])
  })

  test.each([
    ['completed', research(0)],
    ['failed', { tool: 'sync_calendar', args: { seconds: 0 } }],
  ])('has nothing to do once the run has %s', async (phase, ask) => {
    const run = await begin(framework, { ...ask, mcp })
    await run.shows({ phase })
    expect(await run.stored()).toBeNull()
    const before = await reload(run)
    await run.shows({ phase: 'idle' })
    expect(site.ofRun(before)).toEqual([])
  })

  test('has nothing to do once the run was cancelled', async () => {
    const run = await begin(framework, { ...research(600), mcp })
    await run.shows({ phase: 'working' })
    await run.press('cancel')
    await run.shows({ phase: 'cancelled' })
    expect(await run.stored()).toBeNull()
    const before = await reload(run)
    await run.shows({ phase: 'idle' })
    expect(site.ofRun(before)).toEqual([])
  })
})

const frameworks: Framework[] = ['React', 'Vue', 'Svelte']
test.each(frameworks)('reloaded while the result is on its way, a page in %s gets it by itself', async (framework) => {
  const run = await (await openWindow()).newPage()
  await run.goto(site.url, framework, { ...research(1), mcp: '2025-11-25' })
  const results = await holdBack(run.page, 'tasks/result')
  await run.press('fire')
  await results.arrival
  await run.shows({ phase: 'working', task: { status: 'completed' } })
  await reload(run)
  results.letGo()
  await run.shows({ phase: 'completed', result: { data: { query: 'tides' } } })
  expect(site.count('tools/call')).toBe(1)
})
