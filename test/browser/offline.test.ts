import { expect, test } from 'vitest'
import { openWindow } from './support/run-page.ts'
import { useSite } from './support/site.ts'
import { refusePushes } from './support/wire.ts'

const site = useSite()

test('a page without a network rests, and reads once when it is back', async () => {
  const ask = { tool: 'start_research', args: { query: 'tides', seconds: 2, sections: 8 } }
  const window = await openWindow()
  const run = await window.newPage()
  await refusePushes(run.page)
  await run.goto(site.url, 'React', ask)
  await run.press('fire')
  await run.shows({ phase: 'working' })
  await window.context.setOffline(true)
  await run.shows({ phase: 'working', detachedBecause: 'offline', isStale: true })
  const before = run.sent('tasks/get')

  // Elsewhere the same run is followed to its end.
  const elsewhere = await (await openWindow()).newPage()
  await elsewhere.goto(site.url, 'React', ask)
  await elsewhere.keep((await run.stored())!)
  await elsewhere.page.reload()
  await elsewhere.shows({ phase: 'completed' })
  await run.shows({ phase: 'working', detachedBecause: 'offline' })
  expect(run.sent('tasks/get')).toBe(before)

  await window.context.setOffline(false)
  await run.shows({ phase: 'completed', detachedBecause: null, result: { data: { query: 'tides' } } })
  expect(run.sent('tasks/get')).toBe(before + 1)
  expect(site.count('tools/call')).toBe(1)
})
