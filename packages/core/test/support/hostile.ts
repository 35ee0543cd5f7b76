import { afterEach, beforeEach, expect, vi } from 'vitest'
import { createTaskRunner, type JsonObject, type TaskConnection, type TaskOptions } from '../../src/index.ts'
import { createFakeConnection, settle } from './fake-connection.ts'

/** Values that no schema allows where an object, a string or a number is due. */
export const junk: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
  ['not a number', NaN],
  ['a string', 'tk-1'],
  ['an empty string', ''],
  ['true', true],
  ['false', false],
  ['an empty list', []],
  ['a nested list', [[{ taskId: 'tk-1' }]]],
  ['an empty object', {}],
  ['an unknown object', { banana: { peel: [1] } }],
]

export const phases = [
  'idle',
  'submitting',
  'working',
  'input_required',
  'cancelling',
  'detached',
  'completed',
  'failed',
  'cancelled',
  'expired',
]
export const errorKinds = [
  'tool',
  'protocol',
  'malformed',
  'cancelled',
  'expired',
  'unreachable',
  'unauthorized',
  'timeout',
  'lost',
  'not-sent',
  'unsupported',
  'input-required',
  'superseded',
]

type Options = Partial<Omit<TaskOptions, 'connection' | 'tool'>>

/** A runner that somebody watches, over its own connection. */
export function startRun(options: Options = {}, over: Partial<TaskConnection> = {}) {
  const connection = createFakeConnection(over)
  const runner = createTaskRunner({ connection, tool: 'tile_city', ...options })
  runner.subscribe(() => {})
  return { connection, runner, view: () => runner.getSnapshot() }
}
export type Run = ReturnType<typeof startRun>

/** A run whose create call has been answered. */
export async function startTask(answer: unknown, options: Options = {}, over: Partial<TaskConnection> = {}) {
  const run = startRun(options, over)
  ignore(run.runner.fire({ city: 'Turku' }))
  await run.connection.last('tools/call').answer(answer as JsonObject)
  return run
}

export const ignore = (promise: Promise<unknown>): void => void promise.catch(() => {})

const immediately = setImmediate
/** Lets the process notice rejections that nobody handles. */
export const realTick = (): Promise<void> => new Promise((resolve) => immediately(resolve))

/** Whatever gets out of the machine instead of ending in its state. */
const escapes: unknown[] = []
const note = (error: unknown) => void escapes.push(error)

/** Fake timers, and after each test: nothing was thrown outside. */
export function containedTests(): void {
  beforeEach(() => {
    vi.useFakeTimers()
    escapes.length = 0
    process.on('unhandledRejection', note)
  })
  afterEach(async () => {
    await realTick()
    process.off('unhandledRejection', note)
    vi.useRealTimers()
    expect(escapes).toEqual([])
  })
}

/** The view is one that the contract knows, whatever the server did. */
export function expectClear({ view, connection }: Pick<Run, 'view' | 'connection'>): void {
  const { phase, error, result, isTerminal } = view()
  expect(phases).toContain(phase)
  if (error) {
    expect(errorKinds).toContain(error.kind)
    expect(error.message).toEqual(expect.stringMatching(/\S/))
  }
  if (phase === 'completed') expect(result).not.toBeNull()
  if (phase === 'detached' || (isTerminal && phase !== 'completed')) expect(error).not.toBeNull()
  for (const { method, params } of connection.sent)
    if (method.startsWith('tasks/')) expect(params['taskId']).toEqual(expect.stringMatching(/^[^]+$/))
}

/** Disposing leaves nothing behind. */
export async function expectGone({ runner, connection }: Run): Promise<void> {
  runner.dispose()
  await settle()
  expect(connection.listeners).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
}

/** Something nested so many levels deep, without recursion. */
export function nested(levels: number, wrap: (inner: unknown) => unknown = (inner) => ({ inner })): JsonObject {
  let value: unknown = {}
  for (let i = 0; i < levels; i++) value = wrap(value)
  return value as JsonObject
}
