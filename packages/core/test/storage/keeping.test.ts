import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskRunner, plain } from '../../src/index.ts'
import { completed, createFakeConnection, handle, settle, snapshot, toolResult } from '../support/fake-connection.ts'
import { stubPage } from '../support/fake-page.ts'
import { createFakeStorage } from '../support/fake-storage.ts'
import { createRun, fire, fireTask, ignore, nextRead, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const key = 'mcp-task-machine:tile_city'

/** Writes down what the storage held when each request went out. */
function watchOrder(run: ReturnType<typeof createRun>, fake: ReturnType<typeof createFakeStorage>) {
  const order: [string, unknown][] = []
  const { request } = run.connection
  run.connection.request = (method, params, options) => {
    order.push([method, fake.stored && fake.stored['taskId']])
    return request(method, params, options)
  }
  return order
}

describe.each([
  ['at once', false],
  ['later', true],
])('a storage that answers %s', (_, isAsync) => {
  test('has the call before it is made and the id before the first read, and nothing once the run has ended', async () => {
    const fake = createFakeStorage({}, isAsync)
    const run = createRun({ storage: fake.storage })
    await settle()
    const order = watchOrder(run, fake)
    run.connection.on('tools/call', () => handle({ status: 'completed' }))
    ignore(run.runner.fire({ city: 'Turku' }))
    await settle()
    expect(order).toEqual([
      ['tools/call', null],
      ['tasks/get', 'tk-1'],
    ])
    expect(fake.stored).toMatchObject({ version: 1, tool: 'tile_city', taskId: 'tk-1', protocol: 'extension' })
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    expect(fake.stored).toBeNull()
  })

  test('forgets the run at reset, keeps it while detached and after dispose', async () => {
    const fake = createFakeStorage({}, isAsync)
    const run = createRun({ storage: fake.storage })
    await settle()
    await fireTask(run)
    run.runner.detach()
    await settle()
    expect(fake.stored).toMatchObject({ taskId: 'tk-1' })
    run.runner.dispose()
    await settle()
    expect(fake.stored).toMatchObject({ taskId: 'tk-1' })

    const next = createRun({ storage: fake.storage })
    await settle()
    next.runner.reset()
    await settle()
    expect(fake.stored).toBeNull()
  })
})

test('creating a runner reads nothing, writes nothing', async () => {
  const fake = createFakeStorage({ [key]: '{}' })
  createTaskRunner({ connection: createFakeConnection(), tool: 'tile_city', storage: fake.storage })
  await settle()
  expect(fake.done).toEqual([])
})

test('a read that says nothing new writes nothing; a new pace, lifetime or wish does', async () => {
  const fake = createFakeStorage()
  const run = createRun({ storage: fake.storage })
  await fireTask(run)
  const writes = fake.done.length
  await (await nextRead(run)).answer(snapshot())
  await (await nextRead(run)).answer(snapshot())
  expect(fake.done).toHaveLength(writes)
  await (await nextRead(run)).answer(snapshot('working', { pollIntervalMs: 5000, ttlMs: 60_000 }))
  expect(fake.stored).toMatchObject({ pollInterval: 5000, ttl: 60_000, nextReadAt: Date.now() + 5000 })
  ignore(run.runner.cancel())
  expect(fake.stored).toMatchObject({ cancelRequested: true })
})

test('when the page goes, the time of the next read is written down; afterwards nobody listens', async () => {
  const page = stubPage()
  const fake = createFakeStorage()
  const run = createRun({ storage: fake.storage })
  await fireTask(run)
  await (await nextRead(run)).answer(snapshot())
  await vi.advanceTimersByTimeAsync(400)
  expect(fake.stored!['nextReadAt']).toBe(Date.now() - 400)
  page.leave()
  expect(fake.stored!['nextReadAt']).toBe(Date.now() + 600)
  await (await nextRead(run)).answer(completed())
  fake.done.length = 0
  page.leave()
  expect(fake.done).toEqual([])
})

test('each place has a key of its own', async () => {
  const fake = createFakeStorage()
  const run = createRun({ storage: fake.storage, storageKey: 'panel-2' })
  await fireTask(run)
  expect([...fake.entries.keys()]).toEqual(['panel-2'])
})

test('a run that everybody has left is stored with the time of its next read', async () => {
  const fake = createFakeStorage()
  const run = createRun({ storage: fake.storage })
  await fireTask(run)
  await (await nextRead(run)).answer(snapshot())
  await vi.advanceTimersByTimeAsync(400)
  run.unwatch()
  await settle()
  expect(fake.stored).toMatchObject({ taskId: 'tk-1', nextReadAt: Date.now() + 600 })
})

test('an open plain call is known as one whose answer was never seen', async () => {
  const fake = createFakeStorage()
  const run = createRun({ storage: fake.storage, protocol: plain() })
  const call = fire(run)
  await settle()
  expect(fake.stored).toMatchObject({ taskId: null })
  await call.answer(toolResult())
  expect(fake.stored).toBeNull()
})

test.each(['getItem', 'setItem', 'removeItem'] as const)(
  'a storage whose %s fails is told once, and breaks no run',
  async (name) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { storage } = createFakeStorage()
    for (const fail of [
      () => {
        throw new Error('QuotaExceededError')
      },
      () => Promise.reject(new Error('QuotaExceededError')),
    ]) {
      warn.mockClear()
      const run = createRun({ storage: { ...storage, [name]: fail } })
      await settle()
      await fireTask(run)
      await (await nextRead(run)).answer(snapshot('working', { statusMessage: 'half' }))
      ignore(run.runner.cancel())
      await run.connection.last('tasks/cancel').fail(trouble.unknownMethod)
      await (await nextRead(run)).answer(completed())
      expect(run.view().phase).toBe('completed')
      await settle()
      expect(warn).toHaveBeenCalledOnce()
      expect(warn.mock.calls[0]![0]).not.toContain('tk-1')
    }
  },
)

test.each([
  [{ storage: {} }, 'storage'],
  [{ storage: createFakeStorage().storage, storageKey: '' }, 'storageKey'],
])('options that are none are refused at once (%#)', (options, name) => {
  expect(() =>
    createTaskRunner({ connection: createFakeConnection(), tool: 'tile_city', ...(options as object) }),
  ).toThrow(name)
})
