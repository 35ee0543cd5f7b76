import type { InspectionEvent, Observer } from 'xstate'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import {
  callToolAsTask,
  createTaskMachine,
  createTaskRunner,
  type JsonObject,
  type TaskOptions,
  type TaskRunner,
  type TaskView,
  type ToolResult,
} from '../src/index.ts'
import { toSettings } from '../src/options.ts'
import { createFakeConnection, elicitation, handle, settle, toolResult } from './support/fake-connection.ts'
import { ignore, startTask } from './support/hostile.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const numbers = [
  'pollInterval',
  'minPollInterval',
  'maxPollInterval',
  'maxPollFailures',
  'requestTimeout',
  'submitTimeout',
  'maxWait',
  'cancelGrace',
]

describe('an option that is not what it should be is refused at once, with a sentence that names it', () => {
  const make = (over: object) => () => createTaskRunner({ connection: createFakeConnection(), tool: 't', ...over })

  test.each(numbers)('%s', (name) => {
    for (const value of [0, -1, NaN, '1000', null, {}, true, -Infinity])
      expect(make({ [name]: value })).toThrow(new RegExp(`^Expected .*\`${name}\``))
    expect(make({ [name]: 1 })).not.toThrow()
    expect(make({ [name]: undefined })).not.toThrow()
  })

  test.each([
    ['connection', [undefined, null, {}, { request: 'x' }, 'https://tiles.example']],
    ['tool', [undefined, null, '', 5, {}]],
    ['whenBusy', ['drop', null, 5]],
    ['onUnmount', ['stop', null, true]],
    ['onInputRequired', ['ask', null, {}]],
    ['protocol', ['extension', null, {}, 5]],
    ['output', [null, 5, 'string', {}, { parse() {} }, { '~standard': {} }]],
    ['retryPolicy', [null, 5, {}, { maxAttempts: 0 }, { maxAttempts: '3' }, { maxAttempts: NaN }]],
    [
      'retryPolicy',
      [
        { maxAttempts: 3, backoff: 'random' },
        { maxAttempts: 3, baseDelayMs: -1 },
      ],
    ],
    [
      'retryPolicy',
      [
        { maxAttempts: 3, retryOn: 'tool' },
        { maxAttempts: 3, noRetryOn: 5 },
      ],
    ],
    ['onSettled', [null, 'x', {}]],
    ['onOrphan', [null, 'x', {}]],
    ['inspect', [null, 'x', 5]],
  ])('%s', (name, values) => {
    for (const value of values) {
      expect(make({ [name]: value }), JSON.stringify(value)).toThrow(TypeError)
      expect(make({ [name]: value })).toThrow(new RegExp(`^Expected .*\`${name}`))
    }
  })

  test('no options at all', () => {
    expect(() => createTaskRunner(undefined as never)).toThrow(/^Expected `connection`/)
    expect(() => createTaskMachine(undefined as never)).toThrow(/^Expected `connection`/)
    expect(() => createTaskMachine({ connection: createFakeConnection(), tool: '' })).toThrow(/^Expected `tool`/)
  })

  test('callToolAsTask rejects, and sends nothing', async () => {
    const connection = createFakeConnection()
    await expect(callToolAsTask(connection, '')).rejects.toThrow(/^Expected `tool`/)
    await expect(callToolAsTask(connection, 't', {}, { maxWait: -1 })).rejects.toThrow(/`maxWait`/)
    expect(connection.wire).toEqual([])
  })
})

describe('defaults', () => {
  test('are those of the documentation', () => {
    expect(toSettings({ connection: createFakeConnection(), tool: 't' })).toMatchObject({
      pollInterval: 2000,
      minPollInterval: 250,
      maxPollInterval: 60_000,
      maxPollFailures: 3,
      requestTimeout: 30_000,
      submitTimeout: 60_000,
    })
  })

  test('an option that is `undefined` counts as left out', () => {
    const given = { pollInterval: undefined, maxPollFailures: undefined, whenBusy: undefined }
    const settings = toSettings({ connection: createFakeConnection(), tool: 't', ...given } as unknown as TaskOptions)
    expect(settings).toMatchObject({ pollInterval: 2000, maxPollFailures: 3 })
  })

  test('two seconds between reads where the server names no interval', async () => {
    const run = await startTask(handle({ pollIntervalMs: undefined }))
    await vi.advanceTimersByTimeAsync(1999)
    expect(run.connection.count('tasks/get')).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(run.connection.count('tasks/get')).toBe(1)
    run.runner.dispose()
  })

  test('half a minute for every request but the call, which is never timed out by the transport', async () => {
    const run = await startTask(handle())
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.last('tasks/get').options.timeout).toBe(30_000)
    expect(run.connection.last('tools/call').options.timeout).toBeGreaterThan(24 * 3_600_000)
    ignore(run.runner.cancel())
    expect(run.connection.last('tasks/cancel').options.timeout).toBe(30_000)
    run.runner.dispose()
  })

  test('a minute for the call, started anew by each progress', async () => {
    const connection = createFakeConnection()
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    ignore(runner.fire())
    await vi.advanceTimersByTimeAsync(59_999)
    connection.last('tools/call').options.onProgress?.({ progress: 1 })
    await vi.advanceTimersByTimeAsync(59_999)
    expect(runner.getSnapshot().phase).toBe('submitting')
    await vi.advanceTimersByTimeAsync(1)
    expect(runner.getSnapshot()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    runner.dispose()
  })

  test('the newest call wins, a lost call is not repeated, and prompts wait', async () => {
    const run = await startTask(handle())
    ignore(run.runner.fire({ n: 2 }))
    expect(run.connection.count('tools/call')).toBe(2)
    expect(run.connection.count('tasks/cancel')).toBe(0)
    await run.connection.last('tools/call').fail({ message: 'socket hang up' })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.connection.count('tools/call')).toBe(2)
    ignore(run.runner.fire())
    await run.connection
      .last('tools/call')
      .answer({ resultType: 'input_required', inputRequests: { k: elicitation() } })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(run.view()).toMatchObject({ phase: 'input_required' })
    run.runner.dispose()
  })

  test('losing the last subscriber rests, and cancels nothing', async () => {
    const connection = createFakeConnection()
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    const stop = runner.subscribe(() => {})
    ignore(runner.fire())
    await connection.last('tools/call').answer(handle())
    stop()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(connection.wire).toEqual(['tools/call'])
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', detachedBecause: 'unmounted' })
    runner.dispose()
  })

  test('creating a runner or an actor sends nothing, listens to nothing and arms nothing', async () => {
    const connection = createFakeConnection()
    createTaskRunner({ connection, tool: 'tile_city' })
    createTaskMachine({ connection, tool: 'tile_city' })
    await settle()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(connection.wire).toEqual([])
    expect(connection.listeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('`initialView` is what is shown until something happens', async () => {
    const connection = createFakeConnection()
    const idle = createTaskRunner({ connection, tool: 'tile_city' }).getSnapshot()
    const initialView: TaskView = { ...idle, phase: 'completed', isIdle: false, isTerminal: true }
    const runner = createTaskRunner({ connection, tool: 'tile_city', initialView })
    runner.subscribe(() => {})
    expect(runner.getSnapshot()).toBe(initialView)
    expect(runner.getInitialSnapshot()).toBe(initialView)
    ignore(runner.fire())
    await connection.last('tools/call').answer(toolResult())
    expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(runner.getInitialSnapshot()).toBe(initialView)
  })

  test('settings of one call go out with it, and only with it', async () => {
    const connection = createFakeConnection()
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    ignore(runner.fire({ n: 1 }, { meta: { trace: 'a' }, headers: { 'x-a': 'b' }, ttl: 5 }))
    const call = connection.last('tools/call')
    expect(call.params).toEqual({ name: 'tile_city', arguments: { n: 1 }, _meta: { trace: 'a' } })
    expect(call.options.headers).toEqual({ 'x-a': 'b' })
    ignore(runner.fire({ n: 2 }))
    expect(connection.last('tools/call').params).toEqual({ name: 'tile_city', arguments: { n: 2 } })
    expect(connection.last('tools/call').options.headers).toBeUndefined()
    runner.dispose()
  })
})

describe('types', () => {
  test('input and output reach the verbs and the view', () => {
    const connection = createFakeConnection()
    const runner = createTaskRunner<{ city: string }, { tiles: number }>({ connection, tool: 'tile_city' })
    expectTypeOf(runner).toEqualTypeOf<TaskRunner<{ city: string }, { tiles: number }>>()
    expectTypeOf(runner.fire).parameter(0).toEqualTypeOf<{ city: string } | undefined>()
    expectTypeOf(runner.getSnapshot()).toEqualTypeOf<TaskView<{ tiles: number }>>()
    expectTypeOf(runner.result).returns.resolves.toEqualTypeOf<ToolResult<{ tiles: number }>>()
    const plain = createTaskRunner({ connection, tool: 'tile_city' })
    expectTypeOf(plain.fire).parameter(0).toEqualTypeOf<JsonObject | undefined>()
    expectTypeOf(plain.getSnapshot().result).toEqualTypeOf<ToolResult<unknown> | null>()
  })

  test('a schema gives the output its type', async () => {
    const connection = createFakeConnection()
    connection.on('tools/call', () => toolResult('{"tiles":60}'))
    const validate = (value: unknown) => ({ value: value as { tiles: number } })
    const output = { '~standard': { version: 1, vendor: 'test', validate, types: undefined } } as const
    const runner = createTaskRunner<JsonObject, { tiles: number }>({ connection, tool: 'tile_city', output })
    const task = await runner.fire()
    expectTypeOf(task.result).returns.resolves.toHaveProperty('data').toEqualTypeOf<{ tiles: number }>()
    expect((await task.result()).data.tiles).toBe(60)
  })
})

test('observers that take the events of XState fit `inspect`', () => {
  const observer: Observer<InspectionEvent> = { next: () => {} }
  const listener = (event: InspectionEvent) => void event.type
  expectTypeOf(observer).toExtend<NonNullable<TaskOptions['inspect']>>()
  expectTypeOf(listener).toExtend<NonNullable<TaskOptions['inspect']>>()
})
