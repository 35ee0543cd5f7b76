import { describe, expect, test } from 'vitest'
import { createTaskRunner, type TaskReference } from '../../src/index.ts'
import { createFakeConnection, handle } from '../support/fake-connection.ts'
import { containedTests, ignore } from '../support/hostile.ts'

containedTests()

describe('a verb that is given nonsense rejects with what was expected, and sends nothing', () => {
  const create = () => {
    const connection = createFakeConnection()
    return { connection, runner: createTaskRunner({ connection, tool: 'tile_city' }) }
  }

  test.each([null, 5, 'x', []])('fire(%j)', async (args) => {
    const { connection, runner } = create()
    await expect(runner.fire(args as never)).rejects.toThrow(/^Expected the arguments/)
    expect(connection.wire).toEqual([])
    expect(runner.getSnapshot().phase).toBe('idle')
  })

  test.each([null, 5, 'x', [], undefined, { k: null }, { k: 'yes' }, { k: [] }])('respond(%j)', async (answers) => {
    const { connection, runner } = create()
    await expect(runner.respond(answers as never)).rejects.toThrow(/^Expected answers/)
    expect(connection.wire).toEqual([])
  })

  const good: TaskReference = {
    version: 1,
    protocol: 'extension',
    endpoint: 'https://tiles.example/mcp',
    tool: 'tile_city',
    taskId: 'tk-1',
  }
  test.each([
    null,
    5,
    'tk-1',
    {},
    [],
    { ...good, version: 2 },
    { ...good, protocol: undefined },
    { ...good, protocol: 'smoke signals' },
    { ...good, endpoint: 'https://other.example/mcp' },
    { ...good, tool: 'other' },
    { ...good, taskId: '' },
    { ...good, taskId: 5 },
    { ...good, taskId: undefined },
  ])('resume(%j)', async (reference) => {
    const { connection, runner } = create()
    await expect(runner.resume(reference as never)).rejects.toThrow(/^Expected a TaskReference/)
    expect(connection.wire).toEqual([])
    expect(runner.getSnapshot().phase).toBe('idle')
  })

  test('resume() with nothing to go on with', async () => {
    await expect(create().runner.resume()).rejects.toThrow(/^Expected a TaskReference/)
  })

  test('a reference with odd extras is read as far as it goes', async () => {
    const { connection, runner } = create()
    ignore(
      runner.resume({
        ...good,
        ttl: 'soon',
        receivedAt: {},
        pollInterval: [],
        cancelRequested: 'yes',
        extra: 1,
      } as never),
    )
    expect(runner.getSnapshot()).toMatchObject({ phase: 'working', cancelRequested: false })
    expect(connection.wire).toEqual(['tasks/get'])
  })

  test.each([null, 5, 'x', [], {}, { resultType: 'task' }, { taskId: 'tk-1' }])('adopt(%j)', (answer) => {
    const { connection, runner } = create()
    expect(() => runner.adopt(answer as never)).toThrow(/^Expected the answer to a tools\/call/)
    expect(runner.getSnapshot().phase).toBe('idle')
    expect(connection.wire).toEqual([])
  })

  test('useConnection() with none, or one of another endpoint or principal', () => {
    const { runner } = create()
    expect(() => runner.useConnection({} as never)).toThrow(/^Expected a TaskConnection/)
    expect(() => runner.useConnection(undefined as never)).toThrow(/^Expected a TaskConnection/)
    expect(() => runner.useConnection(createFakeConnection({ endpoint: 'https://other.example' }))).toThrow(
      /^Expected a connection to the same endpoint/,
    )
    expect(() => runner.useConnection(createFakeConnection({ principal: 'bob' }))).toThrow(
      /^Expected a connection of the same principal/,
    )
  })

  test('retry() with nothing to retry', async () => {
    await expect(create().runner.retry()).rejects.toMatchObject({ kind: 'not-sent' })
  })

  test('result() while idle', async () => {
    await expect(create().runner.result()).rejects.toMatchObject({ kind: 'superseded' })
  })

  test('a disposed runner says so, and what cannot fail does nothing', async () => {
    const { connection, runner } = create()
    runner.dispose()
    runner.dispose()
    for (const verb of [() => runner.fire(), () => runner.retry(), () => runner.resume(good), () => runner.result()])
      await expect(verb()).rejects.toMatchObject({ kind: 'superseded' })
    expect(() => runner.adopt(handle())).toThrow(/disposed/)
    await Promise.all([runner.cancel(), runner.refresh(), runner.respond({})])
    runner.detach()
    runner.reset()
    expect(connection.wire).toEqual([])
  })

  test('a signal that is aborted beforehand: nothing is sent, and the reason is what the caller gave', async () => {
    const { connection, runner } = create()
    const reason = new Error('too late')
    await expect(runner.fire({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(connection.wire).toEqual([])
    expect(runner.getSnapshot().phase).toBe('idle')
  })
})
