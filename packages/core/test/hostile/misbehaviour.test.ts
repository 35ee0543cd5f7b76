import { describe, expect, test, vi } from 'vitest'
import { accepted, completed, elicitation, handle, settle, snapshot, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, startRun, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000
/** The same object, but reading one of its fields throws. */
const trapped = (name: string, base: object = {}) =>
  Object.defineProperty({ ...base }, name, {
    enumerable: true,
    get() {
      throw new Error('a trap')
    },
  }) as never

const traps = [
  'taskId',
  'status',
  'task',
  'resultType',
  'content',
  'result',
  'code',
  'message',
  'data',
  'sort',
] as const

describe('answers with traps', () => {
  test.each(traps)('the answer to the call throws at `%s`: the run ends or is lost', async (name) => {
    const run = await startTask(trapped(name, handle()))
    expect(['failed', 'detached', 'working']).toContain(run.view().phase)
    expectClear(run)
    await expectGone(run)
  })

  test.each(traps)('the answer to a read throws at `%s`: the run can still end', async (name) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').answer(trapped(name, completed()))
    await vi.advanceTimersByTimeAsync(60_000)
    if (!run.view().isTerminal) await run.connection.last('tasks/get').answer(completed())
    expectClear(run)
    expect(run.view().isTerminal).toBe(true)
    await expectGone(run)
  })

  test.each(traps)('a push throws at `%s`: nothing gets out', async (name) => {
    const run = await startTask(handle())
    run.connection.push('notifications/tasks', trapped(name, snapshot()))
    run.connection.push('notifications/tasks/status', trapped(name, snapshot('completed')))
    expectClear(run)
    await expectGone(run)
  })

  test.each(traps)('the error of the call throws at `%s`: the run ends or is lost', async (name) => {
    const run = startRun()
    ignore(run.runner.fire())
    await run.connection.last('tools/call').fail(trapped(name, { code: -32603, message: 'busy' }))
    expect(['failed', 'detached']).toContain(run.view().phase)
    expectClear(run)
    await expectGone(run)
  })

  test.each(traps)('the error of a read throws at `%s`: that read has failed', async (name) => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection.last('tasks/get').fail(trapped(name, { code: -32603, message: 'busy' }))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.count('tasks/get')).toBeGreaterThan(1)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })
})

describe('requests that never end', () => {
  test('the call: the run is lost in time, and nothing is left when it is disposed', async () => {
    const run = startRun()
    ignore(run.runner.fire())
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', error: { kind: 'lost' } })
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test('the call of a run that is disposed at once leaves no listener', async () => {
    const run = startRun()
    ignore(run.runner.fire())
    await expectGone(run)
  })

  test('the calls of a hundred runs that were replaced leave nothing when the last one has ended', async () => {
    const run = startRun()
    for (let i = 0; i < 100; i++) ignore(run.runner.fire({ i }))
    await run.connection.last('tools/call').answer(toolResult())
    expect(run.view().phase).toBe('completed')
    expect(run.connection.listeners).toBe(0)
    await expectGone(run)
  })

  test('every read: reading is given up after three', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable' })
    expect(run.connection.count('tasks/get')).toBe(3)
    await expectGone(run)
  })

  test('the read of the payload: given up in time, and it can be resumed', async () => {
    const run = await startTask(handle({ status: 'completed' }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable' })
    ignore(run.runner.resume())
    await settle()
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    await expectGone(run)
  })

  test('the cancel: the task is followed meanwhile, and the end counts', async () => {
    const run = await startTask(handle())
    ignore(run.runner.cancel())
    run.connection.on('tasks/get', (_, nth) => (nth < 200 ? snapshot() : snapshot('cancelled')))
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    await expectGone(run)
  })

  test('every cancel, and the task goes on: the refusal shows in time', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () => snapshot('working', { pollIntervalMs: 60_000 }))
    const cancelled = run.runner.cancel()
    await vi.advanceTimersByTimeAsync(hour)
    await cancelled
    expect(run.view()).toMatchObject({ phase: 'working', cancelRequested: false, error: { kind: 'unreachable' } })
    await expectGone(run)
  })

  test('every update: the failure shows in time, and the prompt is open again', async () => {
    const run = await startTask(handle())
    run.connection.on('tasks/get', () =>
      snapshot('input_required', { inputRequests: { overwrite: elicitation() }, pollIntervalMs: 60_000 }),
    )
    await vi.advanceTimersByTimeAsync(1000)
    const responded = run.runner.respond({ overwrite: accepted })
    await vi.advanceTimersByTimeAsync(hour)
    await responded
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true, error: { kind: 'unreachable' } })
    await expectGone(run)
  })
})

/** Ways in which a connection can fail to give a promise. */
const notPromises: readonly (readonly [string, () => never])[] = [
  [
    'throws',
    () => {
      throw new Error('not connected')
    },
  ],
  ['returns nothing', () => undefined as never],
  ['returns no promise', () => completed() as never],
]

describe('a connection that gives no promise', () => {
  test.each(notPromises)('it %s for the call: the run ends or is lost', async (_, request) => {
    const run = startRun({}, { request })
    ignore(run.runner.fire())
    await settle()
    expect(['failed', 'detached', 'completed', 'working']).toContain(run.view().phase)
    expectClear(run)
    await expectGone(run)
  })

  const requesting = (method: string, request: () => never) => {
    const run = startRun()
    const original = run.connection.request
    Object.assign(run.connection, {
      request: (name: string, ...rest: never[]) =>
        name === method ? request() : (original as (...all: unknown[]) => unknown)(name, ...rest),
    })
    return run
  }

  test.each(notPromises)('it %s for every read: the run ends, is given up or answered', async (_, request) => {
    const run = requesting('tasks/get', request)
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(handle())
    await vi.advanceTimersByTimeAsync(hour)
    expect(['failed', 'detached', 'completed']).toContain(run.view().phase)
    expectClear(run)
    await expectGone(run)
  })

  test.each(notPromises)('it %s for the payload: the run ends, is given up or answered', async (_, request) => {
    const run = requesting('tasks/get', request)
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(handle({ status: 'completed' }))
    await vi.advanceTimersByTimeAsync(hour)
    expect(['failed', 'detached', 'completed']).toContain(run.view().phase)
    expectClear(run)
    await expectGone(run)
  })

  test.each(notPromises)('it %s for the cancel: the task is followed', async (_, request) => {
    const run = requesting('tasks/cancel', request)
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(handle())
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(600_000)
    expectClear(run)
    await expectGone(run)
  })

  test.each(notPromises)('it %s for the update: the prompt is delivered or open again', async (_, request) => {
    const run = requesting('tasks/update', request)
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(handle())
    await vi.advanceTimersByTimeAsync(1000)
    await run.connection
      .last('tasks/get')
      .answer(snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
    ignore(run.runner.respond({ overwrite: accepted }))
    await vi.advanceTimersByTimeAsync(600_000)
    expectClear(run)
    await expectGone(run)
  })

  test('one task whose reads throw does not stop the reads of another on the same connection', async () => {
    const run = await startTask(handle())
    const original = run.connection.request
    Object.assign(run.connection, {
      request: (name: string, params: { taskId?: string }, options: never) =>
        params.taskId === 'tk-2' ? undefined : original(name, params, options),
    })
    const other = await startTask(handle({ taskId: 'tk-2' }), {}, run.connection as never)
    void other
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.connection.count('tasks/get')).toBe(1)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
  })
})
