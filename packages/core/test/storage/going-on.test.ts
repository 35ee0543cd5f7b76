import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskRunner, type TaskReference } from '../../src/index.ts'
import { completed, createFakeConnection, settle, snapshot } from '../support/fake-connection.ts'
import { createFakeStorage } from '../support/fake-storage.ts'
import { createRun, fire, fireTask, ignore, nextRead, trouble, type Options } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const key = 'mcp-task-machine:tile_city'

/** What a page leaves that went away in the midst of a run. */
function left(over: Record<string, unknown> = {}): TaskReference {
  return {
    version: 1,
    protocol: 'extension',
    endpoint: 'https://tiles.example/mcp',
    tool: 'tile_city',
    taskId: 'tk-1',
    receivedAt: Date.now(),
    ttl: null,
    pollInterval: 1000,
    cancelRequested: false,
    ...over,
  }
}
const storageWith = (reference: unknown, isAsync = false) =>
  createFakeStorage({ [key]: typeof reference === 'string' ? reference : JSON.stringify(reference) }, isAsync)

describe.each([
  ['at once', false],
  ['later', true],
])('a stored run, with a storage that answers %s', (_, isAsync) => {
  const open = (reference: unknown, options: Options = {}, connection = createFakeConnection()) => {
    const fake = storageWith(reference, isAsync)
    return { fake, run: createRun({ storage: fake.storage, ...options }, connection) }
  }

  test('goes on with a read when somebody looks, and calls nothing', async () => {
    const { run, fake } = open(left())
    await vi.advanceTimersByTimeAsync(0)
    expect(run.connection.wire).toEqual(['tasks/get'])
    expect(run.view()).toMatchObject({ phase: 'working', canRetry: false })
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(fake.stored).toBeNull()
  })

  test('is read no earlier than the last page was allowed to', async () => {
    const { run } = open(left({ nextReadAt: Date.now() + 600 }))
    await vi.advanceTimersByTimeAsync(599)
    expect(run.connection.wire).toEqual([])
    expect(run.view().phase).toBe('working')
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.wire).toEqual(['tasks/get'])
  })

  test('with a next read in a far future is read after one interval', async () => {
    const { run } = open(left({ nextReadAt: Date.now() + 1e12 }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.wire).toEqual(['tasks/get'])
  })

  test('whose cancel wish was not heard is asked to cancel', async () => {
    const { run } = open(left({ cancelRequested: true }))
    await settle()
    expect(run.view().phase).toBe('cancelling')
    expect(run.connection.count('tasks/cancel')).toBe(1)
    expect(run.connection.count('tools/call')).toBe(0)
  })

  test('that the server does not know has expired, and is forgotten', async () => {
    const { run, fake } = open(left())
    await vi.advanceTimersByTimeAsync(0)
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    expect(fake.stored).toBeNull()
  })

  test('of another session says so when the server does not know it', async () => {
    const { run } = open(left({ session: 'one' }), {}, createFakeConnection({ session: 'two' }))
    await vi.advanceTimersByTimeAsync(0)
    await run.connection.last('tasks/get').fail(trouble.gone)
    expect(run.view().error!.message).toContain('another session')
  })

  test('whose answer was never seen is lost, and no call is made', async () => {
    const { run } = open(left({ taskId: null }))
    await settle()
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', error: { kind: 'lost' } })
    expect(run.connection.wire).toEqual([])
  })

  test('is reported as an orphan when a call is fired before it was looked up', async () => {
    const fake = storageWith(left(), isAsync)
    const orphans: TaskReference[] = []
    const connection = createFakeConnection()
    const runner = createTaskRunner({
      connection,
      tool: 'tile_city',
      storage: fake.storage,
      onOrphan: (orphan) => orphans.push(orphan),
    })
    ignore(runner.fire({ city: 'Espoo' }))
    runner.subscribe(() => {})
    await settle()
    expect(orphans).toEqual([left()])
    expect(connection.wire).toEqual(['tools/call'])
    expect(fake.stored).toMatchObject({ taskId: null })
  })

  test('is left alone without autoResume, until resume() is called', async () => {
    const { run } = open(left(), { autoResume: false })
    await settle()
    expect(run.view().phase).toBe('idle')
    ignore(run.runner.resume())
    await vi.advanceTimersByTimeAsync(0)
    expect(run.connection.wire).toEqual(['tasks/get'])
  })

  test('does not come back once it was reset, however late the storage answers', async () => {
    const { run, fake } = open(left())
    run.runner.reset()
    await settle()
    expect(run.view().phase).toBe('idle')
    expect(run.connection.count('tools/call') + run.connection.count('tasks/cancel')).toBe(0)
    expect(fake.stored).toBeNull()
  })

  test.each([
    ['no JSON', '{"version":'],
    ['another shape', { taskId: 'tk-1' }],
    ['another endpoint', { endpoint: 'https://other.example/mcp' }],
    ['a future version', { version: 2 }],
    ['another tool', { tool: 'other' }],
    ['a protocol nobody speaks here', { protocol: 'carrier-pigeon' }],
    ['another principal', { principal: 'ada' }],
    ['an id that is none', { taskId: 7 }],
    ['null', 'null'],
  ])('with %s is left alone, with one warning and nothing sent', async (what, over) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const reference =
      typeof over === 'string' || what === 'another shape' ? over : left(over as Record<string, unknown>)
    const { run } = open(reference)
    await settle()
    run.unwatch()
    run.runner.subscribe(() => {})
    await settle()
    expect(run.view().phase).toBe('idle')
    expect(run.connection.wire).toEqual([])
    expect(warn).toHaveBeenCalledOnce()
    expect(warn.mock.calls[0]![0]).not.toContain('tk-1')
  })
})

test('of the same principal it goes on, and every reference names who it belongs to', async () => {
  const fake = storageWith(left({ principal: 'ada' }))
  const run = createRun({ storage: fake.storage }, createFakeConnection({ principal: 'ada' }))
  await vi.advanceTimersByTimeAsync(0)
  expect(run.connection.wire).toEqual(['tasks/get'])
  expect(run.runner.reference).toMatchObject({ principal: 'ada' })
})

test.each([null, 7])('a principal that is %j goes on after each reload', async (principal) => {
  const { storage } = createFakeStorage()
  const open = () => createRun({ storage }, createFakeConnection({ principal } as never))
  const first = open()
  await fireTask(first)
  first.runner.dispose()
  for (const ttlMs of [90_000, 80_000]) {
    const page = open()
    await vi.advanceTimersByTimeAsync(1000)
    expect(page.connection.wire).toEqual(['tasks/get'])
    await page.connection.last('tasks/get').answer(snapshot('working', { ttlMs }))
    expect(page.view().phase).toBe('working')
    page.runner.dispose()
  }
})

test('resume refuses a reference of another principal', async () => {
  const run = createRun({}, createFakeConnection({ principal: 'bob' }))
  await expect(run.runner.resume(left({ principal: 'ada' }))).rejects.toThrow('principal')
  expect(run.connection.wire).toEqual([])
})

test('a run goes on from page to page until it ends', async () => {
  const fake = createFakeStorage()
  const first = createRun({ storage: fake.storage })
  await fireTask(first)
  await (await nextRead(first)).answer(snapshot('working', { statusMessage: 'half' }))
  first.runner.dispose()

  const second = createRun({ storage: fake.storage })
  await vi.advanceTimersByTimeAsync(1000)
  expect(second.connection.wire).toEqual(['tasks/get'])
  await second.connection.last('tasks/get').answer(snapshot('working', { statusMessage: 'nearly' }))
  second.runner.dispose()

  const third = createRun({ storage: fake.storage })
  await vi.advanceTimersByTimeAsync(1000)
  await third.connection.last('tasks/get').answer(completed())
  expect(third.view().phase).toBe('completed')
  expect(createRun({ storage: fake.storage }).view().phase).toBe('idle')
})

test('a run that replaces another one is stored in its place, and the other is reported', async () => {
  const fake = createFakeStorage()
  const run = createRun({ storage: fake.storage })
  await fireTask(run)
  await fire(run).answer({ ...snapshot(), resultType: 'task', taskId: 'tk-2' })
  expect(run.orphans).toMatchObject([{ taskId: 'tk-1' }])
  expect(fake.stored).toMatchObject({ taskId: 'tk-2' })
})

test('before the client is connected nothing is looked up: whose reference it is cannot be told', async () => {
  const fake = storageWith(left())
  let endpoint = ''
  const connection = createFakeConnection()
  Object.defineProperty(connection, 'endpoint', { get: () => endpoint })
  const run = createRun({ storage: fake.storage }, connection)
  expect(fake.done).toEqual([])
  endpoint = 'https://tiles.example/mcp'
  run.runner.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.wire).toEqual(['tasks/get'])
})
