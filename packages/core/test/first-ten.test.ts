import { createActor } from 'xstate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskMachine, createTaskRunner, toTaskView, type TaskOptions } from '../src/index.ts'
import {
  accepted,
  completed,
  createFakeConnection,
  elicitation,
  handle,
  settle,
  snapshot,
  toolResult,
  type FakeConnection,
} from './support/fake-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Options = Partial<Omit<TaskOptions, 'connection' | 'tool'>>

/** A started actor over its own connection, perhaps from what another one left behind. */
function start(options: Options = {}, persisted?: unknown, connection: FakeConnection = createFakeConnection()) {
  const machine = createTaskMachine({ connection, tool: 'tile_city', ...options })
  const actor = createActor(machine, persisted ? { snapshot: persisted as never } : {}).start()
  return { connection, actor, view: () => toTaskView(actor.getSnapshot()), value: () => actor.getSnapshot().value }
}
type Started = ReturnType<typeof start>

/** What another process would read back. */
function persist({ actor }: Started): unknown {
  const json = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))
  actor.stop()
  return json
}

async function fireTask(started: Started, over = {}) {
  started.actor.send({ type: 'fire', args: { city: 'Turku' } })
  await started.connection.last('tools/call').answer(handle(over))
}

describe('a snapshot survives the process', () => {
  test('idle: nothing is sent, and it can be fired', async () => {
    const before = start()
    const after = start({}, persist(before))
    expect(after.view()).toMatchObject({ phase: 'idle', isIdle: true })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(after.connection.wire).toEqual([])
    await fireTask(after)
    expect(after.view().phase).toBe('working')
  })

  test('submitting.sending: the call is not made again, and the view says lost', async () => {
    const before = start()
    before.actor.send({ type: 'fire' })
    const after = start({}, persist(before))
    await settle()
    expect(after.value()).toEqual({ submitting: 'lost' })
    expect(after.view()).toMatchObject({
      phase: 'detached',
      detachedBecause: 'lost',
      canRetry: true,
      error: { kind: 'lost' },
    })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(after.connection.wire).toEqual([])
  })

  test.each(['prompting', 'retrying', 'lost'])(
    'submitting.%s: the call is not made again, and the view says lost',
    async (state) => {
      const before = start({ idempotent: true, retryPolicy: { maxAttempts: 2, retryOn: ['protocol'] } })
      before.actor.send({ type: 'fire' })
      const call = before.connection.last('tools/call')
      if (state === 'prompting')
        await call.answer({ resultType: 'input_required', inputRequests: { style: elicitation() }, requestState: 'qq' })
      if (state === 'retrying') await call.fail({ code: -32603, message: 'busy' })
      if (state === 'lost') await vi.advanceTimersByTimeAsync(600_000)
      expect(before.value()).toEqual({ submitting: state })
      const after = start({}, persist(before))
      await settle()
      expect(after.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
      after.actor.send({ type: 'respond', answers: { style: accepted } })
      await vi.advanceTimersByTimeAsync(600_000)
      expect(after.connection.wire).toEqual([])
    },
  )

  test('working.watching: the next read is due when it was due before, over the new connection', async () => {
    const before = start()
    await fireTask(before, { pollIntervalMs: 5000 })
    await vi.advanceTimersByTimeAsync(2000)
    const saved = persist(before)
    await vi.advanceTimersByTimeAsync(1000)
    const after = start({}, saved)
    expect(after.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1' } })
    await vi.advanceTimersByTimeAsync(1999)
    expect(after.connection.wire).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(after.connection.wire).toEqual(['tasks/get'])
    await after.connection.last('tasks/get').answer(completed())
    expect(after.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(before.connection.wire).toEqual(['tools/call'])
  })

  test('working, on behalf of somebody else: if the server does not know the task, that is named as the reason', async () => {
    const before = start({}, undefined, createFakeConnection({ principal: 'ada' }))
    await fireTask(before)
    const after = start({}, persist(before), createFakeConnection({ principal: 'bob' }))
    await vi.advanceTimersByTimeAsync(1000)
    await after.connection.last('tasks/get').fail({ code: -32602, message: 'Task not found' })
    await vi.advanceTimersByTimeAsync(1000)
    await after.connection.last('tasks/get').fail({ code: -32602, message: 'Task not found' })
    expect(after.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
    expect(after.view().error!.message).toContain('another principal')
  })

  test('working.input_required: the prompt is open again, and its answer goes out once', async () => {
    const before = start()
    await fireTask(before)
    await vi.advanceTimersByTimeAsync(1000)
    await before.connection
      .last('tasks/get')
      .answer(snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
    expect(before.value()).toEqual({ working: { input_required: 'open' } })
    const after = start({}, persist(before))
    expect(after.view()).toMatchObject({
      phase: 'input_required',
      canRespond: true,
      inputRequests: { overwrite: { kind: 'elicitation' } },
    })
    after.actor.send({ type: 'respond', answers: { overwrite: accepted } })
    expect(after.value()).toEqual({ working: { input_required: 'answering' } })
    const again = start({}, persist(after))
    expect(again.connection.last('tasks/update').params).toEqual({
      taskId: 'tk-1',
      inputResponses: { overwrite: accepted },
    })
    await again.connection.last('tasks/update').answer({})
    expect(again.view()).toMatchObject({ phase: 'working', inputRequests: {} })
    expect(again.connection.count('tools/call')).toBe(0)
  })

  test('working.settling: the payload is fetched by a read', async () => {
    const before = start()
    await fireTask(before, { status: 'completed' })
    expect(before.value()).toEqual({ working: 'settling' })
    const after = start({}, persist(before))
    expect(after.connection.wire).toEqual(['tasks/get'])
    await after.connection.last('tasks/get').answer(completed())
    expect(after.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
  })

  test('working.detached: stays detached without a message until it is resumed', async () => {
    const before = start({ maxWait: 3500 })
    before.connection.on('tasks/get', () => snapshot())
    await fireTask(before)
    await vi.advanceTimersByTimeAsync(3500)
    expect(before.view()).toMatchObject({ phase: 'detached', detachedBecause: 'timeout', error: { kind: 'timeout' } })
    const after = start({ maxWait: 3500 }, persist(before))
    await vi.advanceTimersByTimeAsync(600_000)
    expect(after.connection.wire).toEqual([])
    expect(after.view()).toMatchObject({ phase: 'detached', detachedBecause: 'timeout' })
    after.actor.send({ type: 'resume' })
    expect(after.connection.wire).toEqual(['tasks/get'])
    expect(after.view()).toMatchObject({ phase: 'working', error: null })
  })

  test('cancelling: an unanswered wish is sent again, an acknowledged one is read', async () => {
    const before = start()
    await fireTask(before)
    before.actor.send({ type: 'cancel' })
    const middle = start({}, persist(before))
    expect(middle.connection.wire).toEqual(['tasks/cancel'])
    await middle.connection.last('tasks/cancel').answer({})
    expect(middle.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true })
    const after = start({}, persist(middle))
    await vi.advanceTimersByTimeAsync(1000)
    expect(after.connection.wire).toEqual(['tasks/get'])
    await after.connection.last('tasks/get').answer(snapshot('cancelled'))
    expect(after.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
  })

  test.each(['completed', 'failed', 'cancelled', 'expired'])(
    'terminal.%s: shows the same, and sends nothing',
    async (phase) => {
      const before = start()
      await fireTask(before)
      await vi.advanceTimersByTimeAsync(1000)
      const read = before.connection.last('tasks/get')
      if (phase === 'completed') await read.answer(completed())
      if (phase === 'failed')
        await read.answer(snapshot('failed', { error: { code: -32603, message: 'renderer lost' } }))
      if (phase === 'cancelled') await read.answer(snapshot('cancelled'))
      if (phase === 'expired') {
        await read.answer(snapshot())
        await vi.advanceTimersByTimeAsync(1000)
        await before.connection.last('tasks/get').fail({ code: -32602, message: 'Task not found' })
      }
      expect(before.value()).toEqual({ terminal: phase })
      const shown = JSON.stringify(before.view())
      const after = start({}, persist(before))
      await vi.advanceTimersByTimeAsync(600_000)
      expect(JSON.stringify(after.view())).toBe(shown)
      expect(after.connection.wire).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})

describe('the answer to the create call comes after submitting was left', () => {
  const orphans: unknown[] = []
  const create = (options: Options = {}) => {
    orphans.length = 0
    const connection = createFakeConnection()
    const runner = createTaskRunner({
      connection,
      tool: 'tile_city',
      onOrphan: (reference) => orphans.push(reference),
      ...options,
    })
    return { connection, runner }
  }
  const ignore = (promise: Promise<unknown>) => void promise.catch(() => {})

  test('unmounted: the run stays, rests when the handle comes, and reads when somebody looks again', async () => {
    const { connection, runner } = create()
    const stop = runner.subscribe(() => {})
    const fired = runner.fire({})
    stop()
    await settle()
    expect(runner.getSnapshot().phase).toBe('submitting')
    expect(connection.last('tools/call').options.signal?.aborted).toBe(false)
    await connection.last('tools/call').answer(handle())
    expect((await fired).task.taskId).toBe('tk-1')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: 'unmounted', isStale: true })
    expect(connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
    runner.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.wire).toEqual(['tools/call', 'tasks/get'])
    expect(orphans).toEqual([])
  })

  test('reset: the task is reported as an orphan, and the view stays idle', async () => {
    const { connection, runner } = create()
    ignore(runner.fire({}))
    expect(runner.reset()).toMatchObject({ version: 1, taskId: null, tool: 'tile_city' })
    await connection.last('tools/call').answer(handle())
    expect(runner.getSnapshot()).toMatchObject({ phase: 'idle', task: null })
    expect(orphans).toEqual([
      expect.objectContaining({ taskId: 'tk-1', protocol: 'extension', endpoint: connection.endpoint }),
    ])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.wire).toEqual(['tools/call'])
  })

  test('fired again: only the new answer counts, the old task is reported and not cancelled', async () => {
    const { connection, runner } = create()
    const first = runner.fire({ n: 1 })
    const second = runner.fire({ n: 2 })
    await expect(first).rejects.toMatchObject({ kind: 'superseded' })
    const [callOne, callTwo] = connection.sent
    await callOne!.answer(handle({ taskId: 'old' }))
    await callTwo!.answer(handle({ taskId: 'new' }))
    expect((await second).task.taskId).toBe('new')
    expect(orphans).toEqual([expect.objectContaining({ taskId: 'old' })])
    expect(connection.count('tasks/cancel')).toBe(0)
  })

  test('cancelled: the first message about the task is its cancel', async () => {
    const { connection, runner } = create()
    ignore(runner.fire({}))
    ignore(runner.cancel())
    expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelling', cancelRequested: true })
    await connection.last('tools/call').answer(handle())
    expect(connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(runner.getSnapshot().phase).toBe('cancelling')
  })

  test('cancelled and reset: the late task is cancelled', async () => {
    const { connection, runner } = create()
    ignore(runner.fire({}))
    ignore(runner.cancel())
    runner.reset()
    await connection.last('tools/call').answer(handle())
    expect(connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(connection.last('tasks/cancel').params).toEqual({ taskId: 'tk-1' })
    expect(orphans).toEqual([])
  })

  test('cancelled, but answered outright: the result is shown, not hidden', async () => {
    const { connection, runner } = create()
    ignore(runner.fire({}))
    ignore(runner.cancel())
    await connection.last('tools/call').answer(toolResult('done'))
    expect(runner.getSnapshot()).toMatchObject({
      phase: 'completed',
      cancelRequested: true,
      result: { data: 'done' },
      task: { taskId: null },
    })
  })

  test('disposed: the task is reported, and every promise is settled', async () => {
    const { connection, runner } = create()
    const fired = runner.fire({})
    const result = runner.result()
    runner.dispose()
    await expect(fired).rejects.toMatchObject({ kind: 'superseded' })
    await expect(result).rejects.toMatchObject({ kind: 'superseded' })
    await connection.last('tools/call').answer(handle())
    expect(orphans).toEqual([expect.objectContaining({ taskId: 'tk-1' })])
    expect(vi.getTimerCount()).toBe(0)
    expect(connection.listeners).toBe(0)
  })

  test('lost by a time-out, then answered after all: the run goes on', async () => {
    const { connection, runner } = create({ submitTimeout: 5000 })
    const fired = runner.fire({})
    ignore(fired)
    await vi.advanceTimersByTimeAsync(5000)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    await expect(fired).rejects.toMatchObject({ kind: 'lost' })
    await connection.last('tools/call').answer(handle())
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', error: null, task: { taskId: 'tk-1' } })
    expect(connection.count('tools/call')).toBe(1)
  })
})

test('detached while submitting: resume goes on with the handle that came meanwhile', async () => {
  const connection = createFakeConnection()
  const runner = createTaskRunner({ connection, tool: 'tile_city' })
  runner.subscribe(() => {})
  void runner.fire({}).catch(() => {})
  runner.detach()
  await connection.last('tools/call').answer(handle())
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: 'asked' })
  expect(connection.count('tasks/get')).toBe(0)
  void runner.resume()
  expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: null })
  expect(connection.count('tasks/get')).toBe(1)
})

test('work that fails after a restore is run again by the policy, not called lost', async () => {
  const options = { idempotent: true, retryPolicy: { maxAttempts: 2, retryOn: ['protocol'] } }
  const before = start(options)
  await fireTask(before)
  const after = start(options, persist(before))
  await vi.advanceTimersByTimeAsync(1000)
  await after.connection
    .last('tasks/get')
    .answer(snapshot('failed', { error: { code: -32603, message: 'renderer lost' } }))
  expect(after.value()).toEqual({ submitting: 'retrying' })
  await vi.advanceTimersByTimeAsync(1000)
  expect(after.connection.last('tools/call').params).toMatchObject({ name: 'tile_city', arguments: { city: 'Turku' } })
  await after.connection.last('tools/call').answer(toolResult('second try'))
  expect(after.view()).toMatchObject({ phase: 'completed', attempt: 2, result: { data: 'second try' } })
})
