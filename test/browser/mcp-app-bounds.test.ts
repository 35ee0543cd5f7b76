import type { Frame } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seriousFaults } from './support/axe.ts'
import { closePages } from './support/browser.ts'
import { openHost, serveHost } from './support/mcp-app.ts'

const REPORT = { query: 'tides', seconds: 3, sections: 60 }
const ELSEWHERE = 'https://example.com/'

let host: Awaited<ReturnType<typeof serveHost>>
beforeAll(async () => void (host = await serveHost()))
afterAll(async () => {
  await closePages()
  host.close()
})

/** Does something in the view and tells which directives of its policy forbade it. */
function forbidden(frame: Frame, act: string): Promise<readonly string[]> {
  return frame.evaluate(`new Promise(async (resolve) => {
    const found = []
    document.addEventListener('securitypolicyviolation', (event) => found.push(event.effectiveDirective))
    await (${act})
    // The event comes as a task of its own.
    setTimeout(() => resolve([...new Set(found)]), 100)
  })`)
}

/** What the host answers to a request to open an address. */
function askToOpen(frame: Frame, url: string): Promise<{ readonly isError?: boolean }> {
  return frame.evaluate(`new Promise((resolve) => {
    addEventListener('message', ({ data }) => data.id === 'open' && resolve(data.result))
    const params = { url: ${JSON.stringify(url)} }
    parent.postMessage({ jsonrpc: '2.0', id: 'open', method: 'ui/open-link', params }, '*')
  })`)
}

test('a view is held to what its server declares: it reaches no other domain and compiles nothing', async () => {
  const { page, press, button, frame } = await openHost(host.url, 'start_research', REPORT)
  await press('Open')
  await button('Start').waitFor()
  const view = frame()
  expect(await forbidden(view, `fetch('${ELSEWHERE}').catch(() => {})`)).toEqual(['connect-src'])
  const image = `new Promise((done) => Object.assign(new Image(), { onerror: done, onload: done, src: '${ELSEWHERE}a.png' }))`
  expect(await forbidden(view, image)).toEqual(['img-src'])
  const script = `new Promise((done) => document.head.append(Object.assign(document.createElement('script'), { onerror: done, onload: done, src: '${ELSEWHERE}a.js' })))`
  expect(await forbidden(view, script)).toEqual(['script-src-elem'])
  // Of its own accord: what a debugger evaluates may compile.
  const compile = `new Promise((done) => setTimeout(() => { try { new Function('') } catch {} done() }))`
  expect(await forbidden(view, compile)).toEqual(['script-src'])
  // Nor anything of the page around it.
  expect(await view.evaluate('origin')).toBe('null')
  expect(await askToOpen(view, ELSEWHERE)).toEqual({ isError: true })
  expect(await askToOpen(view, 'javascript:alert(1)')).toEqual({ isError: true })
  expect(page.context().pages()).toHaveLength(1)
})

test('a report is opened by the host, and its log is no longer than fifty lines', async () => {
  const { page, app, press, button, says, errors } = await openHost(host.url, 'start_report', REPORT, '&tasks=off')
  await press('Open')
  await button('Start').click()
  await says('Finished')
  expect(await app.locator('.log li').count()).toBe(50)
  expect(await page.locator('#opened').isVisible()).toBe(false)
  await button('Open Report: tides').click()
  await page.locator('#opened').getByText('Source 60').waitFor()
  expect(await page.locator('#context').textContent()).not.toContain('Reading')
  expect(errors).toEqual([])
})

test('a task that needs an answer asks in the view, and what is wrong with the answer is said there', async () => {
  const { app, press, button, says, errors } = await openHost(host.url, 'book_trip', {
    destination: 'Oslo',
    seconds: 1,
  })
  await press('Open')
  await button('Start').click()
  await says('Waiting for you')
  await button('Send answer').click()
  await app.getByText('Fill this in.').waitFor()
  await app.getByLabel('Send the tickets to').fill('ada@example.com')
  await button('Send answer').click()
  await app.getByLabel('Yes, book it').check()
  await button('Send answer').click()
  await says('Finished')
  await app.getByText('Tickets go to ada@example.com.').waitFor()
  expect(errors).toEqual([])
})

test("axe finds nothing in the host or the view, whose theme is the host's", async () => {
  const { page, app, press, button, says, frame, errors } = await openHost(host.url, 'book_trip', {
    destination: 'Oslo',
  })
  await press('Open')
  await button('Start').waitFor()
  const background = () => app.locator('main').evaluate((element) => getComputedStyle(element).backgroundColor)
  const light = await background()
  await press('Theme')
  await expect.poll(background).not.toBe(light)
  await button('Start').click()
  await says('Waiting for you')
  expect(await seriousFaults(frame(), false)).toEqual([])
  await press('Theme')
  await expect.poll(background).toBe(light)
  expect(await seriousFaults(frame(), true)).toEqual([])
  expect(await seriousFaults(page, false)).toEqual([])
  await button('Cancel').click()
  expect(errors).toEqual([])
})
