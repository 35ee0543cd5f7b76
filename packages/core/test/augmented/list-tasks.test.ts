import { describe, expect, test } from 'vitest'
import { createTaskRunner, HostCapabilityError, listTasks, TaskError } from '../../src/index.ts'
import { connectAugmented, flat } from '../support/augmented.ts'
import { createFakeConnection, settle } from '../support/fake-connection.ts'
import { ignore, trouble } from '../support/runs.ts'

describe('listTasks', () => {
  test('page by page, with the cursor as the server gave it, until there is none', async () => {
    const cursors = ['p2', '', 'e30= ?&/é']
    const connection = connectAugmented()
    connection.on('tasks/list', (_, nth) => ({
      tasks: [flat('working', { taskId: `tk-${nth}` })],
      ...(nth <= cursors.length && { nextCursor: cursors[nth - 1] }),
    }))
    const listed = []
    let page = await listTasks(connection)
    listed.push(...page.tasks)
    while (page.nextCursor !== undefined) {
      page = await listTasks(connection, page.nextCursor)
      listed.push(...page.tasks)
    }
    expect(listed.map(({ taskId }) => taskId)).toEqual(['tk-1', 'tk-2', 'tk-3', 'tk-4'])
    expect(connection.sent.map(({ params }) => params)).toEqual([{}, ...cursors.map((cursor) => ({ cursor }))])
    expect(page).not.toHaveProperty('nextCursor')
    expect(connection.listeners).toBe(0)
  })

  test('tasks are read as everywhere: tolerant, and without what is none', async () => {
    const connection = connectAugmented()
    connection.on('tasks/list', () => ({
      tasks: [
        { taskId: 'tk-1', status: 'working' },
        flat('paused', { taskId: 'tk-2', ttl: 900_000, statusMessage: 'hm' }),
        { task: flat('failed', { taskId: 'tk-3' }) },
        null,
        'tk-4',
        {},
        { taskId: '', status: 'working' },
        { taskId: 'tk-5' },
      ],
    }))
    const { tasks } = await listTasks(connection)
    expect(tasks).toMatchObject([
      { taskId: 'tk-1', status: 'working' },
      { taskId: 'tk-2', status: 'working', rawStatus: 'paused', ttl: 900_000, pollInterval: 1000, statusMessage: 'hm' },
      { taskId: 'tk-3', status: 'failed' },
    ])
    expect(tasks).toHaveLength(3)
  })

  test('an empty page', async () => {
    const connection = connectAugmented()
    connection.on('tasks/list', () => ({ tasks: [] }))
    expect(await listTasks(connection)).toEqual({ tasks: [] })
  })

  test.each([null, [], 'tasks', 7, {}, { tasks: null }, { tasks: {} }, { tasks: 'tk-1' }])(
    'a page that is none is malformed: %j',
    async (page) => {
      const connection = connectAugmented()
      connection.on('tasks/list', () => page as never)
      await expect(listTasks(connection)).rejects.toBeInstanceOf(TaskError)
      await expect(listTasks(connection)).rejects.toMatchObject({ kind: 'malformed', retryable: false, data: page })
    },
  )

  test.each([7, null, {}])('a next cursor that is no text ends the list: %j', async (nextCursor) => {
    const connection = connectAugmented()
    connection.on('tasks/list', () => ({ tasks: [], nextCursor }))
    expect(await listTasks(connection)).not.toHaveProperty('nextCursor')
  })

  test.each([
    ['the newer generation', createFakeConnection()],
    ['a server without tasks', connectAugmented({ supportsTasks: false })],
    ['neither', createFakeConnection({ generation: 'none', supportsTasks: false })],
  ])('%s has no list: unsupported, with nothing sent', async (_, connection) => {
    await expect(listTasks(connection)).rejects.toBeInstanceOf(HostCapabilityError)
    expect(connection.wire).toEqual([])
  })

  test.each([
    ['the server has no list', { reason: 'unsupported', message: 'No list here' }],
    ['the server does not know the method', trouble.unknownMethod],
  ])('%s: unsupported', async (_, failure) => {
    const connection = connectAugmented()
    connection.on('tasks/list', () => Promise.reject(failure))
    const listed = listTasks(connection)
    await expect(listed).rejects.toBeInstanceOf(HostCapabilityError)
    await expect(listed).rejects.toMatchObject({ kind: 'unsupported', message: failure.message })
  })

  test.each([
    ['a cursor that is good no more', { code: -32602, message: 'Invalid cursor' }, 'protocol', false],
    ['the server fails', trouble.internal, 'unreachable', true],
    ['the server is busy', trouble.busy, 'unreachable', true],
    ['the connection breaks', trouble.reset, 'unreachable', true],
    ['the session is gone', { status: 404, code: -32001, message: 'Session not found' }, 'unreachable', true],
    ['nobody is let in', trouble.unauthorized, 'unauthorized', true],
    ['nobody is there', trouble.unsent, 'not-sent', true],
  ])('%s', async (_, failure, kind, retryable) => {
    const connection = connectAugmented()
    connection.on('tasks/list', () => Promise.reject(failure))
    const listed = listTasks(connection, 'p2')
    await expect(listed).rejects.toBeInstanceOf(TaskError)
    await expect(listed).rejects.toMatchObject({ kind, retryable, message: failure.message })
    expect(connection.wire).toEqual(['tasks/list'])
  })

  test.each([7, null, {}])('a cursor that is no text (%j): a TypeError, with nothing sent', async (cursor) => {
    const connection = connectAugmented()
    await expect(listTasks(connection, cursor as never)).rejects.toThrow(TypeError)
    expect(connection.wire).toEqual([])
  })
})

describe('a call whose answer was never seen', () => {
  const offer = '`listTasks` may show it'
  const lose = async (listsTasks: boolean | undefined) => {
    const connection = connectAugmented(listsTasks === undefined ? {} : { listsTasks })
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    ignore(runner.fire())
    await settle()
    await connection.last('tools/call').fail(trouble.reset)
    const { phase, error } = runner.getSnapshot()
    const { reference } = runner
    runner.reset()
    ignore(runner.resume(reference!))
    const restored = runner.getSnapshot()
    runner.dispose()
    expect([phase, restored.phase]).toEqual(['detached', 'detached'])
    return [error!.message, restored.error!.message]
  }

  test('is said to be listed where the server lists tasks, at once and after a reload', async () => {
    for (const message of await lose(true)) expect(message).toContain(offer)
  })

  test.each([false, undefined])('is not where it does not: %s', async (listsTasks) => {
    for (const message of await lose(listsTasks)) expect(message).not.toContain(offer)
  })

  test('nothing is sent to a server that lists none', async () => {
    const connection = connectAugmented({ listsTasks: false })
    await expect(listTasks(connection)).rejects.toBeInstanceOf(HostCapabilityError)
    expect(connection.wire).toEqual([])
  })
})
