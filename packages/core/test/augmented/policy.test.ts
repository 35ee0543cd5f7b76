import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { augmented, extension, HostCapabilityError, plain, type TaskOptions } from '../../src/index.ts'
import { connectAugmented, createAugmentedRun, fireCall, readSays, wrapped } from '../support/augmented.ts'
import { createFakeConnection, handle, settle, toolResult } from '../support/fake-connection.ts'
import { createRun, ignore } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const protocols = {
  auto: 'auto',
  augmented: augmented(),
  'augmented, for other arguments': augmented({ when: () => false }),
  'augmented, for these arguments': augmented({ when: ({ city }) => city === 'Turku' }),
  plain: plain(),
  extension: extension(),
} satisfies Record<string, TaskOptions['protocol']>

const supports = ['required', 'optional', 'forbidden'] as const
type Protocol = keyof typeof protocols
type Rows = Partial<Record<Protocol, string>>

/** What the call is for a tool that requires tasks, may be one, or forbids them: `task`, `plain`, or not sent at all. */
const table: Record<string, Rows> = {
  '2025-11-25 with tasks': {
    auto: 'task task plain',
    augmented: 'task task unsent',
    'augmented, for other arguments': 'task plain unsent',
    'augmented, for these arguments': 'task task unsent',
    plain: 'plain plain plain',
    extension: 'unsent unsent unsent',
  },
  '2025-11-25 without tasks': {
    auto: 'plain plain plain',
    augmented: 'unsent unsent unsent',
    'augmented, for other arguments': 'unsent unsent unsent',
    'augmented, for these arguments': 'unsent unsent unsent',
    plain: 'plain plain plain',
    extension: 'unsent unsent unsent',
  },
  '2026-07-28 with tasks': {
    auto: 'plain plain plain',
    augmented: 'unsent unsent unsent',
    plain: 'plain plain plain',
    extension: 'plain plain plain',
  },
  '2026-07-28 without tasks': {
    auto: 'plain plain plain',
    augmented: 'unsent unsent unsent',
    plain: 'plain plain plain',
    extension: 'unsent unsent unsent',
  },
  'none without tasks': {
    auto: 'plain plain plain',
    augmented: 'unsent unsent unsent',
    plain: 'plain plain plain',
    extension: 'unsent unsent unsent',
  },
}

const cases = Object.entries(table).flatMap(([server, rows]) =>
  Object.entries(rows).flatMap(([protocol, row]) =>
    supports.map((support, at) => ({ server, protocol: protocol as Protocol, support, sent: row.split(' ')[at]! })),
  ),
)

describe('how a call goes out', () => {
  test.each(cases)('$server: by `$protocol` a tool that says $support: $sent', async (row) => {
    const [generation, withTasks] = row.server.split(' with')
    const taskSupport = vi.fn(() => Promise.resolve(row.support))
    const connection = createFakeConnection({
      generation: generation as '2025-11-25',
      supportsTasks: withTasks === ' tasks',
      taskSupport,
    })
    const run = createRun({ protocol: protocols[row.protocol] }, connection)
    const fired = run.runner.fire({ city: 'Turku' })
    ignore(fired)
    await settle()
    if (row.server !== '2025-11-25 with tasks') expect(taskSupport).not.toHaveBeenCalled()
    if (row.sent === 'unsent') {
      await expect(fired).rejects.toBeInstanceOf(HostCapabilityError)
      await expect(fired).rejects.toMatchObject({ kind: 'unsupported', retryable: false })
      await vi.advanceTimersByTimeAsync(600_000)
      expect(connection.wire).toEqual([])
      expect(run.view()).toMatchObject({ phase: 'failed', task: null, error: { kind: 'unsupported' } })
      expect(vi.getTimerCount()).toBe(0)
    } else {
      const call = { name: 'tile_city', arguments: { city: 'Turku' } }
      expect(connection.wire).toEqual(['tools/call'])
      expect(connection.last('tools/call').params).toEqual(row.sent === 'task' ? { ...call, task: {} } : call)
      await connection.last('tools/call').answer(toolResult())
      expect(run.view()).toMatchObject({ phase: 'completed', task: { taskId: null }, result: { data: '60 tiles' } })
      expect(connection.wire).toEqual(['tools/call'])
      expect(vi.getTimerCount()).toBe(0)
    }
  })
})

describe('the lifetime that is asked for', () => {
  test.each([
    ['nobody names one', augmented(), {}, {}],
    ['the protocol names one', augmented({ ttl: 900_000 }), {}, { ttl: 900_000 }],
    ['the call names one', 'auto', { ttl: 1500 }, { ttl: 1500 }],
    ['both do: the call wins', augmented({ ttl: 900_000 }), { ttl: 1500 }, { ttl: 1500 }],
  ] as const)('%s', async (_, protocol, options, task) => {
    const run = createAugmentedRun({ protocol })
    expect((await fireCall(run, options)).params['task']).toEqual(task)
  })

  test('is overruled by the server', async () => {
    const run = createAugmentedRun()
    await (await fireCall(run, { ttl: 1500 })).answer(wrapped({ ttl: 300_000 }))
    await readSays(run, 'working', { ttl: 300_000 })
    await readSays(run, 'working', { ttl: 300_000 })
    expect(run.view()).toMatchObject({ phase: 'working', task: { ttl: 300_000 } })
    expect(run.runner.reference).toMatchObject({ ttl: 300_000, protocol: 'augmented' })
  })

  test.each([
    ['2025-11-25', plain(), toolResult()],
    ['2026-07-28', 'auto', handle()],
    ['2026-07-28', extension(), handle()],
  ] as const)(
    'is not sent on %s where the call is no task of that generation',
    async (generation, protocol, answer) => {
      const run = createRun({ protocol }, createFakeConnection({ generation }))
      const call = await fireCall(run, { ttl: 1500 })
      expect(call.params).toEqual({ name: 'tile_city', arguments: { city: 'Turku' } })
      await call.answer(answer)
      expect(run.view().error).toBeNull()
    },
  )

  test('is asked for again when the call is made again', async () => {
    const run = createAugmentedRun()
    await (await fireCall(run, { ttl: 1500 })).fail({ code: -32603, message: 'max concurrent tasks limit reached (9)' })
    ignore(run.runner.retry())
    await settle()
    expect(run.connection.last('tools/call').params['task']).toEqual({ ttl: 1500 })
    expect(run.connection.count('tools/call')).toBe(2)
  })

  test.each([0, -1, NaN, Infinity, '1500', null, {}])('is no lifetime (%j): a TypeError at once', async (ttl) => {
    expect(() => augmented({ ttl: ttl as number })).toThrow(TypeError)
    const run = createAugmentedRun()
    await expect(run.runner.fire({}, { ttl: ttl as number })).rejects.toThrow(TypeError)
    await settle()
    expect(run.view().phase).toBe('idle')
    expect(run.connection.wire).toEqual([])
  })
})

describe('`when`', () => {
  test.each(['always', 7, {}, null])('is no function (%j): a TypeError at once', (when) => {
    expect(() => augmented({ when: when as never })).toThrow(TypeError)
  })

  test('is asked about these arguments, and only where there is a choice', async () => {
    const when = vi.fn(() => true)
    for (const support of supports) {
      const run = createAugmentedRun({ protocol: augmented({ when }) }, { taskSupport: () => Promise.resolve(support) })
      ignore(run.runner.fire({ city: support }))
      await settle()
    }
    expect(when.mock.calls).toEqual([[{ city: 'optional' }]])
  })

  test('throws: nothing is called, and its words are told', async () => {
    const run = createAugmentedRun({
      protocol: augmented({
        when: () => {
          throw new Error('no zoom given')
        },
      }),
    })
    const fired = run.runner.fire({})
    await expect(fired).rejects.toMatchObject({ kind: 'not-sent', message: 'no zoom given' })
    expect(run.connection.wire).toEqual([])
    expect(run.view().phase).toBe('failed')
  })
})

describe('the answer is not what was asked for', () => {
  test('a task was asked for, and the result came outright: no read, no fetch', async () => {
    const run = createAugmentedRun()
    await (await fireCall(run)).answer(toolResult())
    expect(run.view()).toMatchObject({ phase: 'completed', task: { taskId: null, status: 'completed' } })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(run.connection.wire).toEqual(['tools/call'])
  })

  test.each([
    ['auto', 'forbidden'],
    ['augmented, for other arguments', 'optional'],
  ] as const)(
    'by `%s` a plain call is answered with a task: it is followed, and can be resumed',
    async (name, support) => {
      const connection = connectAugmented({ taskSupport: () => Promise.resolve(support) })
      const run = createRun({ protocol: protocols[name] }, connection)
      await (await fireCall(run)).answer(wrapped())
      expect(connection.last('tools/call').params).not.toHaveProperty('task')
      const { reference } = run.runner
      await readSays(run, 'completed')
      await connection.last('tasks/result').answer(toolResult())
      expect(run.view()).toMatchObject({ phase: 'completed', task: { taskId: 'tk-1' }, result: { data: '60 tiles' } })
      const next = createRun({ protocol: protocols[name] }, connectAugmented())
      ignore(next.runner.resume(reference!))
      await settle()
      expect(next.connection.wire).toEqual(['tasks/get'])
    },
  )

  test.each([
    ['completed', 'tasks/result'],
    ['working', 'tasks/get'],
  ])('a handle that somebody else obtained is followed: %s', async (status, method) => {
    const run = createAugmentedRun()
    run.runner.adopt(wrapped({ status }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.wire).toEqual([method])
    expect(run.connection.last(method).params).toEqual({ taskId: 'tk-1' })
  })

  test('a handle that a result schema has chewed on is a handle', async () => {
    const run = createAugmentedRun()
    await (await fireCall(run)).answer({ ...wrapped(), content: [] })
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'tk-1' } })
  })
})
