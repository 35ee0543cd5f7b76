import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectAugmented, openKeys, openMessages, payload, readSays, startTask } from '../support/augmented.ts'
import { accepted, elicitation, settle } from '../support/fake-connection.ts'
import { createFakeStorage } from '../support/fake-storage.ts'
import { stubTabs } from '../support/fake-tabs.ts'
import { createRun, ignore, type Options, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Three pages with connections of their own to a server of 2025-11-25, which has asked the one that reads. */
async function openAsked(options: Options = {}) {
  const tabs = stubTabs()
  const { storage } = createFakeStorage()
  const open = () => createRun({ storage, ...options }, connectAugmented())
  const first = open()
  await startTask(first)
  const [second, third] = [open(), open()]
  await settle()
  await readSays(first, 'input_required')
  const asked = await first.connection.ask(elicitation(), 'tk-1')
  await settle()
  return { tabs, open, first, second, third, all: [first, second, third], asked }
}
const shown = (pages: readonly Run[]) => pages.map((page) => `${page.view().phase}, ${openKeys(page).length} open`)
const fetches = (pages: readonly Run[]) => pages.map(({ connection }) => connection.count('tasks/result'))

test('what the page that reads is asked shows in all, and in one that is opened later', async () => {
  const { all, open } = await openAsked()
  const late = open()
  await settle()
  expect(shown([...all, late])).toEqual(Array(4).fill('input_required, 1 open'))
  expect(new Set([...all, late].map((page) => openMessages(page)[0])).size).toBe(1)
  expect(late.view().canRespond).toBe(true)
  expect(fetches([...all, late])).toEqual([1, 0, 0, 0])
})

test.each([0, 1, 2])('an answer in page %i reaches the server once, and the question is gone from all', async (at) => {
  const { all, asked, first, second, third, tabs } = await openAsked()
  const page = all[at]!
  ignore(page.runner.respond({ [openKeys(page)[0]!]: accepted }))
  await settle()
  expect(asked.told).toEqual({ answer: accepted })
  expect(shown(all)).toEqual(Array(3).fill('working, 0 open'))
  expect(all.flatMap(({ connection }) => connection.wire).filter((method) => method === 'tasks/update')).toEqual([])
  // The page that was asked hears how it ends; the next one reads that the task has ended, and all others fetch the result, too.
  await first.connection.last('tasks/result').answer(payload())
  await readSays(second, 'completed')
  await settle()
  for (const { connection } of [second, third]) await connection.last('tasks/result').answer(payload())
  expect(all.map(({ view }) => view().phase)).toEqual(['completed', 'completed', 'completed'])
  expect(tabs.left).toBe(0)
})

test('a question that the server takes back is gone from all', async () => {
  const { all, asked } = await openAsked()
  await asked.withdraw()
  await settle()
  expect(all.map(openKeys)).toEqual([[], [], []])
})

test('when the page that was asked is closed, the next one is asked anew, and all show only that', async () => {
  const { first, second, third } = await openAsked()
  const [before] = openKeys(second)
  first.runner.dispose()
  await settle()
  expect([second, third].map(openKeys)).toEqual([[], []])
  await readSays(second, 'input_required')
  expect(fetches([second, third])).toEqual([1, 0])
  const again = await second.connection.ask(elicitation(), 'tk-1')
  await settle()
  expect(shown([second, third])).toEqual(Array(2).fill('input_required, 1 open'))
  expect(openKeys(third)).not.toContain(before)
  ignore(third.runner.respond({ [openKeys(third)[0]!]: accepted }))
  await settle()
  expect(again.told).toEqual({ answer: accepted })
})

test('two answers at once: the server gets one', async () => {
  const { second, third, all, asked } = await openAsked()
  const [key] = openKeys(second)
  ignore(second.runner.respond({ [key!]: accepted }))
  ignore(third.runner.respond({ [key!]: { action: 'decline' } }))
  await settle()
  expect(asked.told).toEqual({ answer: accepted })
  expect(shown(all)).toEqual(Array(3).fill('working, 0 open'))
})

test('a cancel in another page than the one that was asked dismisses the question', async () => {
  const { second, asked } = await openAsked()
  ignore(second.runner.cancel())
  await second.connection.last('tasks/cancel').answer({ taskId: 'tk-1', status: 'working', ttl: null })
  await settle()
  expect(asked.told).toEqual({ answer: { action: 'cancel' } })
})
