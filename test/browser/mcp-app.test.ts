import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages } from './support/browser.ts'
import { openHost, serveHost } from './support/mcp-app.ts'

const SHORT = { query: 'tides', seconds: 4 }
const LONG = { query: 'tides', seconds: 120 }

let host: Awaited<ReturnType<typeof serveHost>>
beforeAll(async () => void (host = await serveHost()))
afterAll(async () => {
  await closePages()
  host.close()
})

test('a view in a sandboxed iframe runs a task that its host relays, with progress, to its end', async () => {
  const { app, press, button, says, context, sent, errors } = await openHost(host.url, 'start_research', SHORT)
  await press('Open')
  await button('Start').click()
  await app.getByText(/^Reading \d of 8$/).waitFor()
  await says('Finished')
  await expect.poll(context).toContain('completed')
  expect(await button('Cancel').count()).toBe(0)
  expect(await button('Retry').count()).toBe(0)
  expect(sent('tasks/get')).toBeGreaterThan(0)
  expect(errors).toEqual([])
})

test('a view that is taken away and comes back, or is loaded anew, finds its task again and starts no second one', async () => {
  const { app, press, button, says, sent, errors } = await openHost(host.url, 'start_research', LONG)
  const task = () => app.locator('main[data-task]').getAttribute('data-task')
  await press('Open')
  await button('Start').click()
  await says('Working')
  const id = await task()
  expect(id).toMatch(/./)

  await press('Tear down')
  await app.owner().waitFor({ state: 'detached' })
  await press('Open')
  await says('Working')
  expect(await task()).toBe(id)

  await press('Reload')
  await says('Working')
  expect(await task()).toBe(id)
  expect(sent('tools/call')).toBe(1)

  await button('Cancel').click()
  await says('Cancelled')
  expect(errors).toEqual([])
})

test('a view that is opened with a call follows the task of that call', async () => {
  const { press, button, says, sent, errors } = await openHost(host.url, 'start_research', LONG)
  await press('Call and open')
  await says('Working')
  expect(await button('Start').count()).toBe(0)
  await button('Cancel').click()
  await says('Cancelled')
  expect(sent('tools/call')).toBe(1)
  expect(errors).toEqual([])
})

test('with a host that relays no tasks the view runs a job: Cancel waits, Retry comes when the server allows it', async () => {
  const args = { query: 'tides', seconds: 30, stopSeconds: 2 }
  const { app, press, button, says, sent, errors } = await openHost(host.url, 'start_report', args, '&tasks=off')
  await press('Open')
  await button('Start').click()
  await app.locator('progress[value]').waitFor()
  expect(await button('Retry').count()).toBe(0)
  await button('Cancel').click()
  await button('Cancelling…').waitFor()
  expect(await button('Cancelling…').isDisabled()).toBe(true)
  await says('Cancelled')
  await button('Retry').click()
  await says('Working')
  await button('Cancel').click()
  await says('Cancelled')
  expect(sent('tasks/get')).toBe(0)
  expect(errors).toEqual([])
})

test('a job goes on while its view is away, and is followed again when it is back', async () => {
  const { press, button, says, called, context, errors } = await openHost(host.url, 'start_report', LONG, '&tasks=off')
  await press('Call and open')
  await says('Working')
  await expect.poll(context).toContain('working')
  await press('Tear down')
  const job = await context()
  const reads = called('get_report_status')
  await press('Open')
  await says('Working')
  await expect.poll(() => called('get_report_status')).toBeGreaterThan(reads)
  expect(JSON.parse((await context())!).id).toBe(JSON.parse(job!).id)
  expect(called('start_report')).toBe(1)
  expect(await button('Start').count()).toBe(0)
  await button('Cancel').click()
  await says('Cancelled')
  expect(errors).toEqual([])
})

test('work that no retry helps is not offered again', async () => {
  const args = { ...SHORT, fail: 'refused' }
  const { press, button, says, errors } = await openHost(host.url, 'start_report', args, '&tasks=off')
  await press('Open')
  await button('Start').click()
  await says('Failed')
  expect(await button('Retry').count()).toBe(0)
  expect(errors).toEqual([])
})
