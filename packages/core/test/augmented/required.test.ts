import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callToolAsTask, extension, HostCapabilityError, plain, type TaskConnection } from '../../src/index.ts'
import { connectAugmented, createAugmentedRun, fireCall, flat, payload, wrapped } from '../support/augmented.ts'
import { createFakeConnection, handle, settle, toolResult } from '../support/fake-connection.ts'
import { ignore, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const supports = (support: 'required' | 'optional' | 'forbidden') => ({ taskSupport: () => Promise.resolve(support) })

/** Every way in which servers say that a tool runs only as a task. */
const signals = [
  [-32601, 'Tool requires task augmentation'],
  [-32600, 'Task augmentation required for tools/call requests'],
  [-32602, 'This tool must be called as a task'],
] as const
const isError = toolResult('MCP error -32601: Tool tile_city requires task augmentation', { isError: true })

describe('a plain call of a tool that runs only as a task', () => {
  test.each(signals)(
    'is refused with %d: unsupported, in the words of the server, and not repeated',
    async (code, message) => {
      const run = createAugmentedRun({ protocol: plain(), idempotent: true }, supports('required'))
      const fired = run.runner.fire({})
      ignore(fired)
      await settle()
      await run.connection.last('tools/call').fail({ code, message })
      await expect(fired).rejects.toBeInstanceOf(HostCapabilityError)
      expect(run.view()).toMatchObject({
        phase: 'failed',
        error: { kind: 'unsupported', code, message, retryable: false },
      })
      await vi.advanceTimersByTimeAsync(600_000)
      expect(run.connection.wire).toEqual(['tools/call'])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('is refused as the failure of the tool itself', async () => {
    const run = createAugmentedRun({ protocol: plain() }, supports('required'))
    await (await fireCall(run)).answer(isError)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'unsupported' } })
    expect(run.view().error?.message).toContain('requires task augmentation')
    expect(run.connection.wire).toEqual(['tools/call'])
  })

  test('runs all the same: its result counts', async () => {
    const run = createAugmentedRun({ protocol: plain() }, supports('required'))
    await (await fireCall(run)).answer(toolResult())
    expect(run.view()).toMatchObject({ phase: 'completed', error: null })
  })

  test('is lost: whether it has begun is unknown', async () => {
    const run = createAugmentedRun({ protocol: plain() }, supports('required'))
    await (await fireCall(run)).fail(trouble.reset)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
  })

  test('is answered with a task: that is said, and the task is named', async () => {
    const run = createAugmentedRun({ protocol: plain() }, supports('required'))
    await (await fireCall(run)).answer(wrapped())
    expect(run.view()).toMatchObject({ phase: 'failed', task: { taskId: 'tk-1' }, error: { kind: 'unsupported' } })
    expect(run.view().error?.task?.taskId).toBe('tk-1')
    expect(run.connection.wire).toEqual(['tools/call'])
  })
})

describe('the same words of a tool that may run plainly, or of a server without tasks, mean what they say', () => {
  const others: [string, Partial<TaskConnection>][] = [
    ['optional', supports('optional')],
    ['forbidden', supports('forbidden')],
    ['unlisted', { taskSupport: () => Promise.reject(trouble.reset) }],
    ['of a server without tasks', { ...supports('required'), supportsTasks: false }],
    ['of 2026-07-28', { ...supports('required'), generation: '2026-07-28' }],
  ]
  test.each(others)('%s', async (_, over) => {
    for (const [code, message] of signals) {
      const run = createAugmentedRun({ protocol: plain() }, over)
      await (await fireCall(run)).fail({ code, message })
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', code, message } })
    }
    const run = createAugmentedRun({ protocol: plain() }, over)
    await (await fireCall(run)).answer(isError)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'tool' }, result: { isError: true } })
  })
})

describe('the same words in answer to a task', () => {
  test.each([...signals, [-32603, 'max concurrent tasks limit reached (9)']] as const)(
    '%d: the call has failed, and is not made plainly',
    async (code, message) => {
      const run = createAugmentedRun({}, supports('required'))
      await (await fireCall(run)).fail({ code, message })
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', code, message } })
      await vi.advanceTimersByTimeAsync(600_000)
      expect(run.connection.wire).toEqual(['tools/call'])
    },
  )
})

describe('callToolAsTask demands a task', () => {
  test.each([
    ['the tool forbids it', connectAugmented(supports('forbidden'))],
    ['the server lists no tools', connectAugmented({ taskSupport: () => Promise.reject(trouble.unknownMethod) })],
    ['the server has no tasks', connectAugmented({ supportsTasks: false })],
    ['the newer server has no tasks', createFakeConnection({ supportsTasks: false })],
    ['there is neither', createFakeConnection({ supportsTasks: false, generation: 'none' })],
  ])('%s: it rejects, with nothing called', async (_, connection) => {
    const called = callToolAsTask(connection, 'tile_city', {})
    await expect(called).rejects.toBeInstanceOf(HostCapabilityError)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(connection.wire).toEqual([])
    expect(connection.listeners).toBe(0)
  })

  test.each(['required', 'optional'] as const)('and follows it (2025-11-25, %s)', async (support) => {
    const connection = connectAugmented(supports(support))
    const called = callToolAsTask(connection, 'tile_city', { city: 'Turku' }, { ttl: 1500 })
    await settle()
    const { params } = connection.last('tools/call')
    expect(params).toEqual({ name: 'tile_city', arguments: { city: 'Turku' }, task: { ttl: 1500 } })
    await connection.last('tools/call').answer(wrapped())
    const { task, result } = await called
    expect(task).toMatchObject({ taskId: 'tk-1', status: 'working' })
    const outcome = result()
    await vi.advanceTimersByTimeAsync(1000)
    await connection.last('tasks/get').answer(flat('completed'))
    await connection.last('tasks/result').answer(payload())
    expect((await outcome).data).toBe('60 tiles')
    expect(connection.listeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('and follows it (2026-07-28)', async () => {
    const connection = createFakeConnection()
    const called = callToolAsTask(connection, 'tile_city', {}, { ttl: 1500 })
    await settle()
    expect(connection.last('tools/call').params).toEqual({ name: 'tile_city', arguments: {} })
    await connection.last('tools/call').answer(handle())
    expect((await called).task.taskId).toBe('tk-1')
  })

  test('but the server may answer outright', async () => {
    const connection = connectAugmented()
    const called = callToolAsTask(connection, 'tile_city')
    await settle()
    await connection.last('tools/call').answer(toolResult())
    const { task, result } = await called
    expect(task).toMatchObject({ taskId: null, status: 'completed' })
    expect((await result()).data).toBe('60 tiles')
    expect(connection.wire).toEqual(['tools/call'])
  })

  test('unless a protocol is named', async () => {
    const connection = connectAugmented(supports('forbidden'))
    ignore(callToolAsTask(connection, 'tile_city', {}, { protocol: plain() }))
    await settle()
    expect(connection.wire).toEqual(['tools/call'])
    await expect(callToolAsTask(connection, 'tile_city', {}, { protocol: extension() })).rejects.toMatchObject({
      kind: 'unsupported',
    })
    expect(connection.wire).toEqual(['tools/call'])
  })

  test.each([0, -1, NaN])('a lifetime of %d: a TypeError, with nothing called', async (ttl) => {
    const connection = connectAugmented()
    await expect(callToolAsTask(connection, 'tile_city', {}, { ttl })).rejects.toThrow(TypeError)
    expect(connection.wire).toEqual([])
  })
})
