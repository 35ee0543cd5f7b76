import { createActor } from 'xstate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  callToolAsTask,
  createTaskMachine,
  createTaskRunner,
  extension,
  HostCapabilityError,
  toTaskView,
  type TaskOptions,
} from '../src/index.ts'
import {
  accepted,
  completed,
  createFakeConnection,
  elicitation,
  handle,
  settle,
  snapshot,
  toolResult,
} from './support/fake-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ignore = (promise: Promise<unknown>) => void promise.catch(() => {})
const asking = () => snapshot('input_required', { inputRequests: { overwrite: elicitation() } })

function create(options: Partial<TaskOptions> = {}, connection = createFakeConnection()) {
  const runner = createTaskRunner({ connection, tool: 'tile_city', ...options })
  return { connection, runner, view: () => runner.getSnapshot() }
}
async function createRunning(options: Partial<TaskOptions> = {}) {
  const run = create(options)
  run.runner.subscribe(() => {})
  ignore(run.runner.fire({}))
  await run.connection.last('tools/call').answer(handle())
  return run
}

describe('who looks', () => {
  test('a run that nobody ever subscribed to is read to its end', async () => {
    const onSettled = vi.fn()
    const { connection, runner, view } = create({ onSettled })
    const fired = runner.fire({})
    await connection.last('tools/call').answer(handle())
    await fired
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').answer(completed())
    expect(view()).toMatchObject({ phase: 'completed', detachedBecause: null })
    expect(onSettled).toHaveBeenCalledTimes(1)
  })

  test('the last subscriber leaving rests the run, unless somebody waits for the result', async () => {
    const { connection, runner, view } = create()
    const stop = runner.subscribe(() => {})
    ignore(runner.fire({}))
    await connection.last('tools/call').answer(handle())
    const result = runner.result()
    stop()
    await settle()
    expect(view().detachedBecause).toBeNull()
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').answer(completed())
    expect((await result).data).toBe('60 tiles')
  })

  test('a reason to rest of an earlier run is not one of the next', async () => {
    const { connection, runner, view } = await createRunning()
    connection.close()
    expect(view().detachedBecause).toBe('connection')
    runner.reset()
    ignore(runner.fire({}))
    expect(view()).toMatchObject({ phase: 'submitting', detachedBecause: null, isStale: false })
  })

  test('`maxWait` ends a wait that rests because its connection has closed', async () => {
    const { connection, runner, view } = await createRunning({ maxWait: 5000 })
    const result = runner.result()
    ignore(result)
    connection.close()
    await vi.advanceTimersByTimeAsync(5000)
    await expect(result).rejects.toMatchObject({ kind: 'timeout' })
    expect(view()).toMatchObject({ phase: 'detached', detachedBecause: 'timeout' })
  })

  test('the same connection, connected anew, is gone on with', async () => {
    const { connection, runner, view } = await createRunning()
    connection.close()
    runner.useConnection(connection)
    expect(view()).toMatchObject({ phase: 'working', detachedBecause: null })
    expect(connection.count('tasks/get')).toBe(1)
  })
})

describe('prompts', () => {
  test.each([
    ['unsupported', { code: -32601, message: 'Method not found' }],
    ['unknown', { code: -32602, message: 'Task not found' }],
    ['forbidden', { status: 403, message: 'Forbidden' }],
  ])("`onInputRequired: 'cancel'` asks once, also where the cancel is refused (%s)", async (_, error) => {
    const { connection, view } = await createRunning({ onInputRequired: 'cancel' })
    connection.on('tasks/cancel', () => Promise.reject(error))
    connection.on('tasks/get', asking)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.count('tasks/cancel')).toBe(1)
    expect(connection.count('tasks/get')).toBeLessThan(63)
    expect(view()).toMatchObject({ phase: 'input_required', error: { kind: expect.any(String) } })
  })

  test('an answer that the server refuses is shown, and its prompt is open again', async () => {
    const { connection, runner, view } = await createRunning()
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').answer(asking())
    ignore(runner.respond({ overwrite: accepted }))
    await connection.last('tasks/update').fail({ code: -32602, message: 'ok must be a boolean' })
    await connection.last('tasks/get').answer(asking())
    expect(view()).toMatchObject({
      phase: 'input_required',
      canRespond: true,
      error: { message: 'ok must be a boolean' },
    })
  })
})

describe('cancelling', () => {
  test('the wish outlives the connection, and is sent again over the next one', async () => {
    const { connection, runner, view } = await createRunning()
    ignore(runner.cancel())
    await connection.last('tasks/cancel').fail({ reason: 'closed', message: 'Connection closed' })
    connection.close()
    expect(view()).toMatchObject({ phase: 'cancelling', cancelRequested: true, detachedBecause: 'connection' })
    const next = createFakeConnection()
    runner.useConnection(next)
    expect(next.wire).toContain('tasks/cancel')
  })

  test('a refused cancel is no expiry, and its message names no task', async () => {
    const { connection, runner, view } = await createRunning()
    connection.on('tasks/get', () => snapshot())
    ignore(runner.cancel())
    await connection.last('tasks/cancel').fail({ code: -32602, message: 'Cannot cancel task tk-1' })
    expect(view()).toMatchObject({ phase: 'working', error: { kind: 'protocol', message: 'Cannot cancel task …' } })
  })
})

describe('runs', () => {
  test('a queued call leaves the handle of the one before as it was', async () => {
    const { connection, runner } = create({ whenBusy: 'queue' })
    connection.on('tools/call', ({ arguments: args }) => toolResult(JSON.stringify(args)))
    const [first, second] = await Promise.all([runner.fire({ n: 1 }), runner.fire({ n: 2 })])
    expect(first.task).toEqual({ taskId: null, status: 'completed' })
    expect(second.task).toEqual({ taskId: null, status: 'completed' })
    expect((await first.result()).data).toEqual({ n: 1 })
    expect((await second.result()).data).toEqual({ n: 2 })
  })

  test('an adopted result is checked by the schema, too', () => {
    const validate = (value: unknown) => (typeof value === 'number' ? { value } : { issues: ['no number'] })
    const { runner, view } = create({ output: { '~standard': { version: 1, vendor: 'test', validate } } })
    runner.adopt(toolResult('sixty'))
    expect(view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
    runner.adopt(toolResult('60'))
    expect(view()).toMatchObject({ phase: 'completed', result: { data: 60 } })
  })

  test('a call whose questions nobody answers within `maxWait` is not called lost', async () => {
    const { connection, runner, view } = create({ maxWait: 5000 })
    const fired = runner.fire({})
    ignore(fired)
    await connection
      .last('tools/call')
      .answer({ resultType: 'input_required', inputRequests: { style: elicitation() } })
    await vi.advanceTimersByTimeAsync(5000)
    expect(view()).toMatchObject({ phase: 'detached', detachedBecause: 'timeout', canRetry: true, inputRequests: {} })
    await expect(fired).rejects.toMatchObject({ kind: 'timeout' })
  })

  test('`maxWait` bounds the wait for a payload', async () => {
    const { connection, view } = await createRunning({ maxWait: 3000, requestTimeout: 10_000 })
    connection.push('notifications/tasks', { ...completed(), result: undefined })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(view()).toMatchObject({ phase: 'detached', detachedBecause: 'timeout', task: { status: 'completed' } })
  })
})

describe('tasks that were demanded', () => {
  const without = () => createFakeConnection({ supportsTasks: false, generation: 'none' })

  test('`callToolAsTask` sends nothing where there are none', async () => {
    const connection = without()
    await expect(callToolAsTask(connection, 'tile_city')).rejects.toBeInstanceOf(HostCapabilityError)
    await expect(callToolAsTask(connection, 'tile_city', {}, { protocol: extension() })).rejects.toMatchObject({
      kind: 'unsupported',
    })
    expect(connection.wire).toEqual([])
  })

  test('`extension()` fails the run unsent', async () => {
    const { connection, runner, view } = create({ protocol: extension() }, without())
    await expect(runner.fire({})).rejects.toBeInstanceOf(HostCapabilityError)
    expect(view()).toMatchObject({ phase: 'failed', error: { kind: 'unsupported', retryable: false } })
    expect(connection.wire).toEqual([])
  })
})

describe('expiry in the words of the wild', () => {
  test.each([
    ['a status `task_expired`', snapshot('task_expired')],
    ['a status `expired`', snapshot('expired')],
    ['a result type', { ...snapshot(), resultType: 'task_expired' }],
    ['the code of an inlined error', snapshot('failed', { error: { code: 'task_expired', message: 'gone' } })],
  ])('%s', async (_, answer) => {
    const { connection, view } = await createRunning()
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').answer(answer)
    expect(view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
  })

  test('the data of an error', async () => {
    const { connection, view } = await createRunning()
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').answer(snapshot())
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').fail({ code: -32000, message: 'gone', data: { code: 'task_expired' } })
    expect(view().phase).toBe('expired')
  })

  test('a time `expiresAt` bounds the lifetime', async () => {
    const { connection, runner, view } = create()
    ignore(runner.fire({}))
    const times = { createdAt: '2026-11-02T08:15:00Z', expiresAt: '2026-11-02T08:15:10Z', ttlMs: undefined }
    await connection.last('tools/call').answer(handle(times))
    expect(view().task?.ttl).toBe(10_000)
  })
})

test('the tags of a state are those of its view', async () => {
  const connection = createFakeConnection()
  const actor = createActor(createTaskMachine({ connection, tool: 'tile_city', submitTimeout: 1000 })).start()
  const agrees = () => {
    const view = toTaskView(actor.getSnapshot())
    expect([actor.getSnapshot().hasTag('working'), actor.getSnapshot().hasTag('terminal')]).toEqual([
      view.isWorking,
      view.isTerminal,
    ])
  }
  agrees()
  actor.send({ type: 'fire' })
  agrees()
  await vi.advanceTimersByTimeAsync(1000)
  expect(actor.getSnapshot().value).toEqual({ submitting: 'lost' })
  agrees()
  await connection.last('tools/call').answer(handle())
  agrees()
  actor.send({ type: 'cancel' })
  agrees()
  await connection.last('tasks/cancel').answer({})
  await vi.advanceTimersByTimeAsync(1000)
  await connection.last('tasks/get').answer(snapshot('cancelled'))
  agrees()
})

test('an adopted handle of a cancelled task is the end of it', () => {
  const { connection, runner, view } = create()
  runner.adopt(handle({ status: 'cancelled' }))
  expect(view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  expect(connection.wire).toEqual([])
})

test('a payload that cannot be fetched because nobody listens there is out of reach, not unsent', async () => {
  const { connection, view } = await createRunning()
  connection.on('tasks/get', () => Promise.reject({ reason: 'not-sent', message: 'connect ECONNREFUSED' }))
  connection.push('notifications/tasks', { ...completed(), result: undefined })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable', task: { status: 'completed' } })
})

test('a cancel that was heard is not sent again when reading goes on after trouble', async () => {
  const { connection, runner, view } = await createRunning({ maxPollFailures: 1 })
  ignore(runner.cancel())
  await connection.last('tasks/cancel').answer({})
  await vi.advanceTimersByTimeAsync(1000)
  await connection.last('tasks/get').fail({ status: 503, message: 'busy' })
  expect(view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable', cancelRequested: true })
  ignore(runner.resume())
  await connection.last('tasks/get').answer(snapshot('cancelled'))
  expect(view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  expect(connection.count('tasks/cancel')).toBe(1)
})
