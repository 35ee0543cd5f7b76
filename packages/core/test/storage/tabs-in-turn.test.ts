import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectAugmented, openKeys, readSays, startTask } from '../support/augmented.ts'
import { accepted, elicitation, settle } from '../support/fake-connection.ts'
import { createFakeStorage } from '../support/fake-storage.ts'
import { stubTabs } from '../support/fake-tabs.ts'
import { createRun, ignore, type Options, type Run } from '../support/runs.ts'

// A person goes from tab to tab while a server of 2025-11-25 waits for an answer.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Pages that can be looked at one by one. The first one reads, and is asked. */
async function openTwo() {
  stubTabs()
  const listeners: (() => void)[] = []
  const document = {
    visibilityState: 'visible',
    addEventListener: (_: string, listener: () => void) => void listeners.push(listener),
    removeEventListener: (_: string, listener: () => void) => void (listeners[listeners.indexOf(listener)] = () => {}),
  }
  vi.stubGlobal('document', document)
  const see = async (nth: number, visibilityState: 'hidden' | 'visible') => {
    document.visibilityState = visibilityState
    listeners[nth]!()
    document.visibilityState = 'visible'
    await settle()
  }
  const { storage } = createFakeStorage()
  const open = (options: Options = {}) => createRun({ storage, ...options }, connectAugmented())
  const first = open()
  await startTask(first)
  const second = open()
  await settle()
  await readSays(first, 'input_required')
  const asked = await first.connection.ask(elicitation(), 'tk-1')
  await settle()
  return { first, second, open, see, asked }
}
/** What another page of the origin says, of whatever release. */
const say = (message: unknown) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  new BroadcastChannel('mcp-task-machine:["https://tiles.example/mcp",null,"tk-1"]').postMessage(message)
const counts = (...pages: Run[]) => pages.map((page) => openKeys(page).length)

test('the other tab comes to the front: the question is still there, and its answer reaches the server', async () => {
  const { first, second, see, asked } = await openTwo()
  const [key] = openKeys(second)
  await see(0, 'hidden')
  expect(counts(first, second)).toEqual([1, 1])
  ignore(second.runner.respond({ [key!]: accepted }))
  await settle()
  expect(asked.told).toEqual({ answer: accepted })
})

test('once it is answered the tab in front reads on, and it alone can be asked', async () => {
  const { first, second, see } = await openTwo()
  await see(0, 'hidden')
  ignore(second.runner.respond({ [openKeys(second)[0]!]: accepted }))
  await settle()
  await readSays(second, 'input_required')
  const streams = [first, second].flatMap(({ connection }) =>
    connection.sent.filter(({ method, options }) => method === 'tasks/result' && !options.signal!.aborted),
  )
  expect(streams).toHaveLength(1)
  expect(second.connection.count('tasks/result')).toBe(1)
})

test('a question that was taken back while nobody looked is gone from a page that is opened later', async () => {
  const { first, second, open, see, asked } = await openTwo()
  second.runner.dispose()
  await see(0, 'hidden')
  await asked.withdraw()
  await see(0, 'visible')
  await readSays(first, 'working')
  const late = open()
  await settle()
  expect(counts(first, late)).toEqual([0, 0])
})

test('the page that was asked is loaded anew: one in the background no longer shows what it was asked', async () => {
  const { first, second, open, see } = await openTwo()
  await see(1, 'hidden')
  first.runner.dispose()
  await settle()
  const again = open()
  await settle()
  await readSays(again, 'working')
  await see(1, 'visible')
  expect(counts(again, second)).toEqual([0, 0])
})

test('an answer out of an observed form, which cannot be cloned, reaches the page that was asked', async () => {
  const { second, asked } = await openTwo()
  const content = new Proxy({ ok: true }, {})
  ignore(second.runner.respond({ [openKeys(second)[0]!]: { action: 'accept', content } }))
  await settle()
  expect(asked.told).toEqual({ answer: { action: 'accept', content: { ok: true } } })
})

test('an answer without a content from a page of another release leaves the question open', async () => {
  const { first, asked } = await openTwo()
  say({ type: 'answer', key: openKeys(first)[0] })
  await settle()
  expect(asked.told).toBeUndefined()
  expect(openKeys(first)).toHaveLength(1)
})

test('however often a page was in the background, in front it can be asked', async () => {
  const { first, second, see, asked } = await openTwo()
  second.runner.dispose()
  await asked.withdraw()
  for (let turn = 1; turn <= 5; turn++) {
    await see(0, 'hidden')
    await settle()
    const before = first.connection.last('tasks/result')
    await before.fail(new Error('aborted'))
    await see(0, 'visible')
    await readSays(first, 'input_required')
    expect(first.connection.last('tasks/result')).not.toBe(before)
  }
})

test.each([
  null,
  'hello',
  { type: 'asked' },
  { type: 'asked', requests: { k: null } },
  { type: 'asked', requests: 'abc' },
  { type: 'answered', keys: 5 },
  { type: 'answer', key: null },
  { type: 'snapshot' },
  { type: 'from the future', raw: {} },
])('a page of another release says %j: nobody is harmed', async (message) => {
  const { first, second, asked } = await openTwo()
  const errors: unknown[] = []
  const listen = (error: unknown) => void errors.push(error)
  process.on('uncaughtException', listen)
  say(message)
  await settle()
  await readSays(first, 'input_required', { statusMessage: 'later' })
  process.off('uncaughtException', listen)
  expect(errors).toEqual([])
  expect([first, second].map(({ view }) => view().progress?.message)).toEqual(['later', 'later'])
  expect(asked.told).toBeUndefined()
  expect(Object.values(second.view().inputRequests).every((request) => typeof request === 'object')).toBe(true)
})

test('a function that answers is called in the tab in front, and in another one only once that is in front', async () => {
  const { open, see, second } = await openTwo()
  const onInputRequired = vi.fn(() => new Promise<never>(() => {}))
  const third = open({ onInputRequired })
  await see(2, 'hidden')
  await settle()
  expect(openKeys(third)).toHaveLength(1)
  expect(onInputRequired).not.toHaveBeenCalled()
  await see(2, 'visible')
  expect(onInputRequired).toHaveBeenCalledOnce()
  ignore(second.runner.respond({ [openKeys(second)[0]!]: accepted }))
  await see(2, 'hidden')
  await see(2, 'visible')
  expect(onInputRequired).toHaveBeenCalledOnce()
})
