import { describe, expect, test } from 'vitest'
import { readFailure } from '../../src/wire/failure.ts'
import { isEmpty, isObject, mapValues, sameJson } from '../../src/wire/json.ts'
import { readProgress } from '../../src/wire/progress.ts'
import { readPrompts } from '../../src/wire/prompts.ts'
import { checkOutput, readOutcome } from '../../src/wire/result.ts'
import { readTask, sameTask } from '../../src/wire/task.ts'
import { junk, nested } from '../support/hostile.ts'

describe('a task is read', () => {
  test('flat, with the names of 2026-07-28', () => {
    expect(
      readTask({ taskId: 'tk-1', status: 'working', statusMessage: 'z14', ttlMs: 900_000, pollIntervalMs: 2500 }),
    ).toMatchObject({ taskId: 'tk-1', status: 'working', statusMessage: 'z14', ttl: 900_000, pollInterval: 2500 })
  })

  test('wrapped, with the names of 2025-11-25', () => {
    expect(readTask({ task: { taskId: 'tk-1', status: 'completed', ttl: 60, pollInterval: 5 } })).toMatchObject({
      taskId: 'tk-1',
      status: 'completed',
      ttl: 60,
      pollInterval: 5,
    })
  })

  test.each([
    [{ ttlMs: 1, ttl: 2 }, { ttl: 1 }],
    [{ ttl: 2, ttlSeconds: 3 }, { ttl: 2 }],
    [{ ttlSeconds: 3 }, { ttl: 3000 }],
    [{ ttlMs: null }, { ttl: null }],
    [{ ttlMs: undefined, ttl: 5 }, { ttl: 5 }],
    [{ ttlMs: 'soon', ttl: 5 }, { ttl: 5 }],
    [{ ttlMs: '60000' }, { ttl: 60_000 }],
    [{ ttlMs: {} }, { ttl: undefined }],
    [{ ttlMs: true }, { ttl: undefined }],
    [{ ttlMs: false }, { ttl: undefined }],
    [{ ttlMs: ' ' }, { ttl: undefined }],
    [{ ttlMs: [5] }, { ttl: undefined }],
    [{ ttlMs: NaN }, { ttl: undefined }],
    [{ pollIntervalMs: null }, { pollInterval: undefined }],
    [{ pollIntervalMs: -5 }, { pollInterval: -5 }],
    [{ pollIntervalMilliseconds: 7 }, { pollInterval: 7 }],
    [{ pollFrequency: 8 }, { pollInterval: 8 }],
    [{ statusMessage: 5 }, { statusMessage: undefined }],
    [
      { createdAt: 5, lastUpdatedAt: {} },
      { createdAt: undefined, lastUpdatedAt: undefined },
    ],
  ])('%j is %j', (fields, expected) => {
    expect(readTask({ taskId: 'tk-1', status: 'working', ...fields })).toMatchObject(expected)
  })

  test('a word that nobody knows counts as working, and is kept', () => {
    expect(readTask({ taskId: 'a', status: 'Completed' })).toMatchObject({ status: 'working', rawStatus: 'Completed' })
    expect(readTask({ taskId: 'a', status: 'constructor' })).toMatchObject({ status: 'working' })
    expect(readTask({ taskId: 'a', status: 'completed' })).toMatchObject({ rawStatus: undefined })
  })

  test.each(junk)('%s is no task, no id and no wrapped task', (name, value) => {
    expect(readTask(value)).toBeNull()
    expect(readTask({ task: value })).toBeNull()
    if (name !== 'a string') expect(readTask({ taskId: value, status: 'working' })).toBeNull()
    if (typeof value !== 'string') expect(readTask({ taskId: 'tk-1', status: value })).toBeNull()
  })

  test('two snapshots are the same if they show the same', () => {
    const task = readTask({ taskId: 'a', status: 'working', ttlMs: 5 })!
    expect(sameTask(task, { ...task })).toBe(true)
    expect(sameTask(task, { ...task, ttl: undefined })).toBe(true)
    for (const change of [{ status: 'failed' }, { statusMessage: 'x' }, { ttl: null }, { pollInterval: 1 }] as const)
      expect(sameTask(task, { ...task, ...change })).toBe(false)
  })
})

describe('a result is read', () => {
  const block = (text: string) => ({ type: 'text', text })

  test.each([
    [{ structuredContent: { tiles: 60 }, content: [block('x')] }, { tiles: 60 }],
    [{ structuredContent: null }, null],
    [{ content: [block('{"tiles":60}')] }, { tiles: 60 }],
    [{ content: [block('60 tiles')] }, '60 tiles'],
    [{ content: [block('a'), block('b')] }, undefined],
    [{ content: [] }, undefined],
    [{ content: [{ type: 'image', data: '' }] }, undefined],
  ])('the data of %j is %j', (raw, data) => {
    expect(readOutcome(raw)).toMatchObject({ as: 'completed', result: { data, raw, isError: false } })
  })

  test('blocks that are none are left out, and `raw` keeps them', () => {
    const raw = { content: [null, 5, 'x', [], {}, { type: 7 }, block('good')] }
    expect(readOutcome(raw)).toMatchObject({ result: { content: [block('good')], raw } })
  })

  test('`isError` decides, and only `true` does', () => {
    expect(readOutcome({ content: [block('disk full')], isError: true })).toMatchObject({
      as: 'failed',
      error: { kind: 'tool', message: 'disk full' },
    })
    for (const isError of ['true', 1, {}, null, false])
      expect(readOutcome({ content: [], isError })).toMatchObject({ as: 'completed' })
    expect(readOutcome({ content: [], isError: true })).toMatchObject({
      error: { message: expect.stringMatching(/\w/) },
    })
  })

  test.each(junk)('%s is no result', (_, value) => {
    expect(readOutcome(value)).toMatchObject({ as: 'failed', error: { kind: 'malformed', data: value } })
  })

  test.each(['input_required', 'task', 'banana', null, 7])('a result of the type %j is malformed', (resultType) => {
    expect(readOutcome({ resultType, content: [] })).toMatchObject({ as: 'failed', error: { kind: 'malformed' } })
  })

  test('a schema replaces the data, or makes it malformed', async () => {
    const schema = (validate: (value: unknown) => unknown) => ({
      '~standard': { version: 1 as const, vendor: 'test', validate },
    })
    const outcome = readOutcome({ structuredContent: { tiles: '60' } })
    expect(
      await checkOutput(
        outcome,
        schema(() => ({ value: 60 })),
      ),
    ).toMatchObject({ result: { data: 60 } })
    expect(
      await checkOutput(
        outcome,
        schema(() => Promise.resolve({ value: 61 })),
      ),
    ).toMatchObject({
      result: { data: 61 },
    })
    const malformed = { as: 'failed', error: { kind: 'malformed' }, result: { data: { tiles: '60' } } }
    for (const validate of [
      () => ({ issues: [{ message: 'no number' }] }),
      () => Promise.reject(new Error('no')),
      () => undefined,
      () => {
        throw new Error('no')
      },
    ])
      expect(await checkOutput(outcome, schema(validate))).toMatchObject(malformed)
  })
})

describe('prompts are read', () => {
  test('each with its kind and its server', () => {
    const raw = {
      a: { method: 'elicitation/create', params: { message: 'x' } },
      b: { method: 'sampling/createMessage' },
      c: { method: 'roots/list', params: null },
      d: { method: 'toString' },
    }
    expect(readPrompts(raw, 'tiles')).toEqual({
      a: { key: 'a', kind: 'elicitation', method: 'elicitation/create', params: { message: 'x' }, server: 'tiles' },
      b: { key: 'b', kind: 'sampling', method: 'sampling/createMessage', params: {}, server: 'tiles' },
      c: { key: 'c', kind: 'roots', method: 'roots/list', params: {}, server: 'tiles' },
      d: { key: 'd', kind: 'unsupported', method: 'toString', params: {}, server: 'tiles' },
    })
  })

  test.each(junk)('%s is no map of prompts and no prompt', (_, value) => {
    expect(readPrompts(isObject(value) ? undefined : value, null)).toEqual({})
    expect(readPrompts({ a: value, b: { method: value } }, null)).toEqual(
      value === 'tk-1' || value === '' ? { b: expect.objectContaining({ kind: 'unsupported' }) } : {},
    )
  })
})

describe('progress is read', () => {
  test('with a percentage only where there is a total', () => {
    expect(readProgress({ progress: 30, total: 60, message: 'z14' }, null)).toEqual({
      value: 30,
      total: 60,
      percent: 50,
      message: 'z14',
    })
    expect(readProgress({ progress: 30 }, null)).toMatchObject({ total: null, percent: null, message: null })
    expect(readProgress({ progress: 90, total: 60 }, null)).toMatchObject({ percent: 100 })
    expect(readProgress({ progress: -9, total: 60 }, null)).toMatchObject({ percent: 0 })
    expect(readProgress({ progress: 9, total: 0 }, null)).toMatchObject({ percent: null })
  })

  test('only where it rises, and an older message stays', () => {
    const before = readProgress({ progress: 30, message: 'z14' }, null)
    expect(readProgress({ progress: 30 }, before)).toBeNull()
    expect(readProgress({ progress: 29 }, before)).toBeNull()
    expect(readProgress({ progress: 31 }, before)).toMatchObject({ value: 31, message: 'z14' })
  })

  test.each(junk)('%s is no progress', (name, value) => {
    expect(readProgress(value as never, null)).toBeNull()
    if (name !== 'a number') expect(readProgress({ progress: value }, null)).toBeNull()
  })
})

describe('a failure is read', () => {
  test.each([
    [{ code: -32602 }, { sort: 'gone', kind: 'expired', answered: true }],
    [
      { code: -32603, message: 'MCP error -32603: MCP error -32603: busy' },
      { sort: 'transient', message: 'busy' },
    ],
    [{ code: -32601 }, { sort: 'refused', kind: 'protocol', retryable: false }],
    [{ code: -32600 }, { sort: 'refused' }],
    [{ code: -32020 }, { sort: 'refused' }],
    [
      { code: -32021, data: { requiredCapabilities: {} } },
      { sort: 'refused', kind: 'unsupported' },
    ],
    [
      { code: -32003, data: { requiredCapabilities: {} } },
      { sort: 'refused', kind: 'unsupported' },
    ],
    [{ code: -32003 }, { sort: 'transient' }],
    [{ code: -32001 }, { sort: 'transient', answered: false }],
    [{ code: 401 }, { sort: 'unauthorized', code: undefined }],
    [{ status: 403 }, { sort: 'unauthorized', retryable: true }],
    [{ status: 404 }, { sort: 'closed' }],
    [
      { status: 404, code: -32601 },
      { sort: 'refused', code: -32601 },
    ],
    [{ status: 404, code: -32001 }, { sort: 'closed' }],
    [{ status: 410 }, { sort: 'closed' }],
    [{ status: 400 }, { sort: 'refused' }],
    [
      { status: 429, retryAfter: 7000 },
      { sort: 'transient', retryAfter: 7000 },
    ],
    [{ status: 503 }, { sort: 'transient', answered: true }],
    [{ status: 500 }, { sort: 'transient', answered: false }],
    [{ cause: { code: 'ECONNREFUSED' } }, { sort: 'unsent', kind: 'not-sent' }],
    [{ code: 'ENOTFOUND' }, { sort: 'unsent' }],
    [{ reason: 'not-connected' }, { sort: 'unsent' }],
    [{ reason: 'closed' }, { sort: 'closed' }],
    [{ reason: 'malformed' }, { sort: 'malformed', kind: 'malformed', answered: true }],
    [new Error('socket hang up'), { sort: 'transient', kind: 'unreachable', message: 'socket hang up' }],
  ])('%j is %j', (error, expected) => {
    expect(readFailure(error)).toMatchObject(expected)
  })

  test.each(junk)('%s is a failure that passes, with a sentence', (_, error) => {
    expect(readFailure(error)).toMatchObject({ sort: 'transient', message: expect.stringMatching(/\w+/) })
    const inside = readFailure({ code: error, message: error, data: error, status: error, cause: error, reason: error })
    expect(inside).toMatchObject({ sort: 'transient', message: expect.stringMatching(/\S/) })
  })

  test.each([
    ['text', '7'],
    ['NaN', NaN],
    ['infinite', Infinity],
    ['negative', -1],
  ])('a `retryAfter` that is %s never makes a wait without an end', (_, retryAfter) => {
    const { retryAfter: read } = readFailure({ status: 429, retryAfter })
    expect(read === undefined || (Number.isFinite(read) && read >= 0)).toBe(true)
  })

  test('reading twice changes nothing', () => {
    const failure = readFailure({ code: -32602, message: 'Task not found' })
    expect(readFailure(failure)).toBe(failure)
  })

  test('an error that only looks like ours is read like any other', () => {
    expect(readFailure({ sort: 'banana', code: -32602, message: 'x' })).toMatchObject({ sort: 'gone', kind: 'expired' })
    expect(readFailure({ sort: undefined })).toMatchObject({ sort: 'transient' })
  })
})

describe('JSON', () => {
  test('two values are the same if they say the same', () => {
    const same = (value: unknown) => sameJson(value, structuredClone(value))
    for (const value of [{ a: [1, { b: null }], c: 'x' }, [], {}, null, 'x', [[[]]]]) expect(same(value)).toBe(true)
    for (const [a, b] of [
      [[], {}],
      [null, {}],
      [{ a: 1 }, { b: 1 }],
      [{ a: undefined }, {}],
      [[1, 2], [1]],
      ['1', 1],
    ])
      expect(sameJson(a, b)).toBe(false)
  })

  test('depth and cycles do not exhaust the stack', () => {
    expect(sameJson(nested(100_000), nested(100_000))).toBe(false)
    expect(sameJson(nested(60), nested(60))).toBe(true)
    const cycle = () => {
      const value: Record<string, unknown> = {}
      return Object.assign(value, { self: value })
    }
    expect(sameJson(cycle(), cycle())).toBe(false)
  })

  test('maps keep keys such as `__proto__`, and drop what becomes undefined', () => {
    const map = JSON.parse('{"__proto__":1,"b":2,"c":3}') as Record<string, number>
    const doubled = mapValues(map, (value) => (value === 2 ? undefined : value * 2))
    expect(Object.entries(doubled)).toEqual([
      ['__proto__', 2],
      ['c', 6],
    ])
    expect(isEmpty(mapValues(map, () => undefined))).toBe(true)
  })

  test.each(junk)('%s: an object is what is neither a list nor null', (name, value) => {
    expect(isObject(value)).toBe(name.endsWith('object'))
  })
})
