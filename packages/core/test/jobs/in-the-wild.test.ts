import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { jobTools, type JobToolsOptions, type JsonObject } from '../../src/index.ts'
import { createFakeConnection, settle } from '../support/fake-connection.ts'
import { createRun, fire, ignore, type Options, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = (options: Partial<JobToolsOptions> = {}, over: Options = {}) =>
  createRun(
    { protocol: jobTools({ status: 'tile_status', ...options }), ...over },
    createFakeConnection({ generation: 'none', supportsTasks: false }),
  )
const says = (structuredContent: JsonObject): JsonObject => ({ content: [], structuredContent })
const last = ({ connection }: Run) => connection.sent.at(-1)!
async function next(run: Run) {
  await vi.advanceTimersByTimeAsync(2000)
  return last(run)
}

test('only the status tool has to be named: the runner starts its own', async () => {
  const run = start()
  await fire(run).answer(says({ jobId: 'j', status: 'running' }))
  expect(run.connection.sent[0]!.params['name']).toBe('tile_city')
  expect(run.view()).toMatchObject({ phase: 'working', canCancel: false })
})

test.each([
  ['QUEUED', 'working'],
  ['Pending', 'working'],
  ['in_progress', 'working'],
  ['SUCCESS', 'completed'],
  ['Done', 'completed'],
  ['interrupted', 'failed'],
  ['Canceled', 'cancelled'],
])('the word %s means %s', async (status, phase) => {
  const run = start()
  await fire(run).answer(says({ jobId: 'j', status }))
  expect(run.view()).toMatchObject({ phase, job: { word: status } })
})

test.each(['paused', 'rejected', '__proto__', 'constructor', 'toString'])(
  'an unknown word (%s) is kept, and the job is read on',
  async (status) => {
    const run = start()
    await fire(run).answer(says({ jobId: 'j', status }))
    expect(run.view()).toMatchObject({
      phase: 'working',
      task: { rawStatus: status.toLowerCase() },
      job: { word: status },
    })
    await (await next(run)).answer(says({ jobId: 'j', status: 'done' }))
    expect(run.view().phase).toBe('completed')
  },
)

test('words of one’s own win over the known ones', async () => {
  const run = start({ words: { done: 'working', fertig: 'completed' } })
  await fire(run).answer(says({ jobId: 'j', status: 'Done' }))
  expect(run.view().phase).toBe('working')
  await (await next(run)).answer(says({ jobId: 'j', status: 'Fertig' }))
  expect(run.view().phase).toBe('completed')
})

test.each([
  ['jobId', { jobId: 'j' }, { jobId: 'j' }],
  ['job_id', { job_id: 'j' }, { job_id: 'j' }],
  ['id', { id: 'j' }, { id: 'j' }],
  ['a number', { id: 7 }, { id: '7' }],
])('an id under %s is asked for under the same name', async (_, given, asked) => {
  const run = start()
  await fire(run).answer(says({ ...given, state: 'running' }))
  expect((await next(run)).params).toEqual({ name: 'tile_status', arguments: asked })
})

test('paths and functions find what is elsewhere', async () => {
  const run = start({
    idArgument: (id) => ({ ref: { id } }),
    read: {
      id: 'job.ref.id',
      status: 'job.state',
      percent: (result) => Number((result['structuredContent'] as { done: number }).done) * 100,
      stage: 'job.step',
      result: 'out',
    },
  })
  await fire(run).answer(says({ job: { ref: { id: 'deep' }, state: 'running', step: 'two' }, done: 0.25 }))
  expect(run.view()).toMatchObject({ task: { taskId: 'deep' }, job: { stage: 'two' }, progress: { percent: 25 } })
  expect((await next(run)).params['arguments']).toEqual({ ref: { id: 'deep' } })
  await last(run).answer(says({ job: { ref: { id: 'deep' }, state: 'done' }, out: { tiles: 60 }, done: 1 }))
  expect(run.view().result!.data).toEqual({ tiles: 60 })
})

test('an id in prose is found by a function', async () => {
  const textOf = (result: JsonObject) => (result['content'] as { text: string }[])[0]!.text
  const run = start({
    idArgument: 'pid',
    read: {
      id: (result) => /PID: (\d+)/.exec(textOf(result))?.[1],
      status: (result) => /STATUS: (\w+)/.exec(textOf(result))?.[1],
    },
  })
  await fire(run).answer({ content: [{ type: 'text', text: 'PID: 4972\nSTATUS: running' }] })
  expect((await next(run)).params['arguments']).toEqual({ pid: '4972' })
  await last(run).answer({ content: [{ type: 'text', text: 'PID: 4972\nSTATUS: done' }] })
  expect(run.view().phase).toBe('completed')
})

test('JSON in the only text block is as good as structured content', async () => {
  const run = start()
  await fire(run).answer({ content: [{ type: 'text', text: '{"jobId":"j","status":"running"}' }] })
  expect(run.view().task!.taskId).toBe('j')
})

describe('a wrong path fails at once, and says what was expected and what came', () => {
  test('for the id, in the answer that made the job', async () => {
    const run = start({ read: { id: 'job.id' } })
    await fire(run).answer(says({ jobId: 'j', state: 'running' }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    expect(run.view().error!.message).toContain('`job.id`')
    expect(run.view().error!.message).toContain('jobId, state')
    expect(run.connection.sent).toHaveLength(1)
  })

  test('for the status, at the first read', async () => {
    const run = start({ read: { status: 'job.state' } })
    await fire(run).answer(says({ jobId: 'j-41' }))
    await (await next(run)).answer(says({ jobId: 'j-41', state: 'running' }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    expect(run.view().error!.message).toContain('`job.state`')
    expect(run.connection.sent).toHaveLength(2)
  })

  test('but a status that goes missing later is trouble that may pass', async () => {
    const run = start()
    await fire(run).answer(says({ jobId: 'j', status: 'running' }))
    await (await next(run)).answer(says({ jobId: 'j', status: 'running', percent: 1 }))
    await (await next(run)).answer(says({ hiccup: true }))
    expect(run.view()).toMatchObject({ phase: 'working', isStale: true })
    await vi.advanceTimersByTimeAsync(10_000)
    await last(run).answer(says({ jobId: 'j', status: 'done' }))
    expect(run.view().phase).toBe('completed')
  })
})

test('an id that changes midway is followed, also by cancel and by the reference', async () => {
  const run = start({ cancel: 'tile_stop' })
  await fire(run).answer(says({ jobId: 'first', status: 'running' }))
  await (await next(run)).answer(says({ jobId: 'second', status: 'running' }))
  expect((await next(run)).params['arguments']).toEqual({ jobId: 'second' })
  await last(run).answer(says({ jobId: 'second', status: 'running', percent: 5 }))
  expect(run.runner.reference).toMatchObject({ taskId: 'second' })
  ignore(run.runner.cancel())
  expect(last(run).params).toEqual({ name: 'tile_stop', arguments: { jobId: 'second' } })
})

test('the server’s own pace is kept, within limits', async () => {
  const run = start({ read: { pollInterval: 'again_in' } })
  await fire(run).answer(says({ jobId: 'j', status: 'running', again_in: 15_000 }))
  await vi.advanceTimersByTimeAsync(14_999)
  expect(run.connection.sent).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(run.connection.sent).toHaveLength(2)
})

test('a payload that grows with each read changes nothing that is shown', async () => {
  const run = start()
  await fire(run).answer(says({ jobId: 'j', status: 'running', rows: [] }))
  const before = run.view()
  const told = run.views.length
  for (let n = 1; n < 5; n++)
    await (await next(run)).answer(says({ jobId: 'j', status: 'running', rows: Array.from({ length: n }) }))
  expect(run.view()).toBe(before)
  expect(run.views).toHaveLength(told)
})

test('a slow status tool is waited for, one read at a time', async () => {
  const run = start()
  await fire(run).answer(says({ jobId: 'j', status: 'running' }))
  const read = await next(run)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(run.connection.sent).toHaveLength(2)
  await read.answer(says({ jobId: 'j', status: 'done' }))
  expect(run.view().phase).toBe('completed')
})

test.each([
  ['a number and a total', { progress: { current: 3, total: 12 } }, { value: 3, total: 12, percent: 25 }],
  ['the number alone', { progress: 3 }, { value: 3, total: null, percent: null }],
  ['nonsense', { progress: 'half', percent: {} }, { value: null, total: null, percent: null }],
  ['a percent beyond all', { percent: 400 }, { percent: 100 }],
])('progress as %s', async (_, given, progress) => {
  const run = start()
  await fire(run).answer(says({ jobId: 'j', status: 'running', ...given }))
  expect(run.view().progress).toMatchObject(progress)
})

describe('a status tool that answers with an error', () => {
  const error = (over: JsonObject) => ({ ...says(over), isError: true })

  test('which tells how this very job stands is believed, however often', async () => {
    const run = start()
    await fire(run).answer(says({ jobId: 'j', status: 'running' }))
    for (let nth = 0; nth < 5; nth++)
      await (await next(run)).answer(error({ jobId: 'j', status: 'running', summary: `No end after ${nth} s` }))
    expect(run.view()).toMatchObject({ phase: 'working', isStale: false, job: { summary: 'No end after 4 s' } })
    await (await next(run)).answer(error({ jobId: 'j', status: 'failed', error: 'exit code 3' }))
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'tool', message: 'exit code 3' } })
  })

  test.each([
    ['another job', { jobId: 'k', status: 'running' }],
    ['no job', { status: 'running' }],
    ['no status', { jobId: 'j' }],
  ])('which tells of %s is a job that is lost, after the tries', async (_, over) => {
    const run = start()
    await fire(run).answer(says({ jobId: 'j', status: 'running' }))
    await (await next(run)).answer(error(over))
    expect(run.view()).toMatchObject({ phase: 'working', isStale: true })
    for (const wait of [60_000, 60_000]) {
      await vi.advanceTimersByTimeAsync(wait)
      await last(run).answer(error(over))
    }
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
  })
})

describe('retryPolicy', () => {
  const policy = { maxAttempts: 3, baseDelayMs: 1000, retryOn: ['render_failed'], noRetryOn: ['bad_account'] }
  const failed = (code: string, over: JsonObject = {}) =>
    says({ jobId: 'j', status: 'failed', error: { code, message: code }, ...over })

  test('runs a failed job again where the server offers that', async () => {
    const run = start({ retry: 'tile_again' }, { retryPolicy: policy })
    await fire(run).answer(says({ jobId: 'j', status: 'running' }))
    await (await next(run)).answer(failed('render_failed', { canRetry: true }))
    expect(run.view().phase).toBe('submitting')
    await vi.advanceTimersByTimeAsync(1000)
    expect(last(run).params).toEqual({ name: 'tile_again', arguments: { jobId: 'j' } })
    await last(run).answer(says({ jobId: 'j', status: 'running' }))
    expect(run.view()).toMatchObject({ phase: 'working', attempt: 2 })
  })

  test.each([
    ['a business error', 'bad_account', { canRetry: true }],
    ['an error that is not named', 'other', { canRetry: true }],
    ['a job that nobody says may run twice', 'render_failed', {}],
  ])('leaves %s alone', async (_, code, over) => {
    const run = start({ retry: 'tile_again' }, { retryPolicy: policy })
    await fire(run).answer(failed(code, over))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.view().phase).toBe('failed')
    expect(run.connection.sent).toHaveLength(1)
  })
})

test.each([
  [undefined, 'options'],
  [{}, 'status'],
  [{ status: '' }, 'status'],
  [{ status: 's', cancel: 7 }, 'cancel'],
  [{ status: 's', read: { id: 7 } }, 'read.id'],
  [{ status: 's', words: { Done: 'completed' } }, 'words'],
])('options that are none are refused at once (%#)', (options, word) => {
  expect(() => jobTools(options as never)).toThrow(word)
})

test('a start tool that answers with no job at all has failed in a clear way', async () => {
  const run = start()
  await fire(run).answer({ content: [{ type: 'text', text: 'Started!' }] })
  expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
  await settle()
  expect(vi.getTimerCount()).toBe(0)
})
