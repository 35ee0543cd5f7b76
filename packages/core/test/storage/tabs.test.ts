import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accepted, completed, createFakeConnection, elicitation, settle, snapshot } from '../support/fake-connection.ts'
import { createFakeStorage } from '../support/fake-storage.ts'
import { stubTabs } from '../support/fake-tabs.ts'
import { createRun, fireTask, ignore, trouble, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Three pages with connections of their own, one of which has called the tool. */
async function openPages() {
  const tabs = stubTabs()
  const { storage } = createFakeStorage()
  const first = createRun({ storage })
  await fireTask(first)
  const [second, third] = [createRun({ storage }), createRun({ storage })]
  await settle()
  return { tabs, first, second, third, all: [first, second, third] }
}
const reads = (pages: readonly Run[]) => pages.reduce((sum, { connection }) => sum + connection.count('tasks/get'), 0)
const phases = (pages: readonly Run[]) => pages.map((page) => page.view().phase)
async function answerRead({ connection }: Run, answer: object) {
  await connection.last('tasks/get').answer(answer as never)
  await settle()
}

test('one page reads for all, and all show the same', async () => {
  const { first, second, third, all, tabs } = await openPages()
  await vi.advanceTimersByTimeAsync(1000)
  expect(reads(all)).toBe(1)
  await answerRead(first, snapshot('working', { statusMessage: 'half' }))
  expect(all.map((page) => page.view().progress?.message)).toEqual(['half', 'half', 'half'])
  expect(all.map((page) => page.view().isStale)).toEqual([false, false, false])
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(first, completed())
  expect(phases(all)).toEqual(['completed', 'completed', 'completed'])
  expect(second.view().result!.data).toBe('60 tiles')
  expect(third.connection.wire).toEqual([])
  expect(reads(all)).toBe(2)
  expect(tabs.left).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('what is pushed to the page that reads shows in all, without a read', async () => {
  const { first, all, tabs } = await openPages()
  const push = async (raw: object) => {
    first.connection.push('notifications/tasks', raw as never)
    await settle()
  }
  const stamped = { statusMessage: 'half', lastUpdatedAt: '2026-11-30T10:00:00Z' }
  await push(snapshot('working', stamped))
  expect(all.map((page) => page.view().progress?.message)).toEqual(['half', 'half', 'half'])
  // One that comes late says nothing to anybody, and nothing to a page that is opened later.
  await push(snapshot('working', { statusMessage: 'begun', lastUpdatedAt: '2026-11-30T09:00:00Z' }))
  expect(all.map((page) => page.view().progress?.message)).toEqual(['half', 'half', 'half'])
  await push(completed())
  expect(phases(all)).toEqual(['completed', 'completed', 'completed'])
  expect(reads(all)).toBe(0)
  expect(tabs.left).toBe(0)
})

test.each([
  ['is closed', (page: Run) => page.runner.dispose()],
  ['looks away', (page: Run) => page.unwatch()],
  ['gives up', (page: Run) => page.runner.detach()],
])('when the page that reads %s, another one reads within one interval', async (_, go) => {
  const { first, second, third } = await openPages()
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(first, snapshot())
  go(first)
  await vi.advanceTimersByTimeAsync(1000)
  expect(reads([second, third])).toBe(1)
  const reader = second.connection.count('tasks/get') ? second : third
  await answerRead(reader, completed())
  expect(phases([second, third])).toEqual(['completed', 'completed'])
})

test('a page that cannot read hands over to one that can', async () => {
  const { first, second } = await openPages()
  await vi.advanceTimersByTimeAsync(1000)
  await first.connection.last('tasks/get').fail(trouble.unauthorized)
  expect(first.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unauthorized' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(second.connection.count('tasks/get')).toBe(1)
})

test('a cancel in one page shows in all once the server has heard it, and is sent once', async () => {
  const { first, second, third, all } = await openPages()
  ignore(second.runner.cancel())
  expect(phases(all)).toEqual(['working', 'cancelling', 'working'])
  await second.connection.last('tasks/cancel').answer({})
  await settle()
  expect(phases(all)).toEqual(['cancelling', 'cancelling', 'cancelling'])
  expect(all.reduce((sum, { connection }) => sum + connection.count('tasks/cancel'), 0)).toBe(1)
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(first, snapshot('cancelled'))
  expect(all.map((page) => page.view().confirmed)).toEqual([true, true, true])
  expect(third.connection.wire).toEqual([])
})

test('a cancel that was refused shows only where it was asked for', async () => {
  const { second, all } = await openPages()
  ignore(second.runner.cancel())
  await second.connection.last('tasks/cancel').fail(trouble.unknownMethod)
  await settle()
  expect(phases(all)).toEqual(['working', 'working', 'working'])
  expect(all.map((page) => page.view().error?.kind)).toEqual([undefined, 'unsupported', undefined])
})

test('a prompt shows in all, and is gone from all once it was answered in one', async () => {
  const { first, second, all } = await openPages()
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(first, snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
  expect(phases(all)).toEqual(['input_required', 'input_required', 'input_required'])
  ignore(second.runner.respond({ overwrite: accepted }))
  await second.connection.last('tasks/update').answer({})
  await settle()
  expect(all.map((page) => Object.keys(page.view().inputRequests))).toEqual([[], [], []])
  expect(all.reduce((sum, { connection }) => sum + connection.count('tasks/update'), 0)).toBe(1)
  // The server is slow to notice: nobody is asked again.
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(first, snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
  expect(all.map((page) => page.view().canRespond)).toEqual([false, false, false])
})

test('a page that comes later shows what is known without a read', async () => {
  const { first } = await openPages()
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(first, snapshot('working', { statusMessage: 'half' }))
  const { storage } = createFakeStorage({ 'mcp-task-machine:tile_city': JSON.stringify(first.runner.reference) })
  const late = createRun({ storage })
  await settle()
  expect(late.view().progress?.message).toBe('half')
  expect(late.connection.wire).toEqual([])
})

test('refresh reads here and now, whoever else reads', async () => {
  const { second, all } = await openPages()
  ignore(second.runner.refresh())
  expect(second.connection.wire).toEqual(['tasks/get'])
  await answerRead(second, snapshot('working', { statusMessage: 'fresh' }))
  expect(all.map((page) => page.view().progress?.message)).toEqual(['fresh', 'fresh', 'fresh'])
})

test('without a storage each runner reads for itself', async () => {
  stubTabs()
  const [first, second] = [createRun(), createRun()]
  await fireTask(first)
  ignore(second.runner.resume(first.runner.reference!))
  await vi.advanceTimersByTimeAsync(1000)
  expect(reads([first])).toBe(1)
  expect(second.connection.count('tasks/get')).toBe(1)
})

test('pages of two principals tell each other nothing, even where their tasks have the same id', async () => {
  stubTabs()
  const open = (principal: string) =>
    createRun({ storage: createFakeStorage().storage }, createFakeConnection({ principal }))
  const [alice, bob] = [open('alice'), open('bob')]
  await fireTask(alice)
  await fireTask(bob)
  await vi.advanceTimersByTimeAsync(1000)
  await answerRead(alice, completed('of Alice'))
  expect(phases([alice, bob])).toEqual(['completed', 'working'])
})
