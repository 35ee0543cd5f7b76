import { describe, expect, test, vi } from 'vitest'
import { listTasks } from '../../src/index.ts'
import { flat, payload, wrapped } from '../support/augmented.ts'
import { createFakeConnection, settle } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, junk, nested } from '../support/hostile.ts'
import { hour, openKeys, startAnswered, startCall } from './support.ts'

containedTests()

const notStrings = junk.filter(([, value]) => typeof value !== 'string')
const notSupport = junk.filter(([, value]) => value !== undefined)
/** What cannot even pass for a result whose content was left out. */
const notObjects = junk.filter(([, value]) => typeof value !== 'object' || value === null || Array.isArray(value))

describe('what answers an augmented call is not what the protocol says', () => {
  test.each(junk)('the answer is %s: the run fails as malformed, and nothing is read', async (_, answer) => {
    const run = await startAnswered(answer)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' }, result: null })
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test.each(junk)('the wrapped task is %s: the run fails, and nothing is read', async (_, task) => {
    const run = await startAnswered({ task })
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' }, task: null })
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test.each(junk.filter(([, value]) => value !== 'tk-1'))(
    'the id of the wrapped task is %s: the run fails, and no such id is ever read',
    async (_, taskId) => {
      const run = await startAnswered(wrapped({ taskId }))
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
      expect(run.connection.wire).toEqual(['tools/call'])
      await expectGone(run)
    },
  )

  test.each(junk)('lifetime and interval of the wrapped task are %s: it is read at a sane pace', async (_, odd) => {
    const run = await startAnswered(wrapped({ ttl: odd, pollInterval: odd, createdAt: odd, lastUpdatedAt: odd }))
    run.connection.on('tasks/get', () => flat('working', { ttl: odd, pollInterval: odd }))
    await vi.advanceTimersByTimeAsync(10_000)
    expectClear(run)
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(40)
    await expectGone(run)
  })

  test.each(junk)('the text for the model is %s: none is shown unless it is text', async (_, text) => {
    const meta = { 'io.modelcontextprotocol/model-immediate-response': text }
    const run = await startAnswered(wrapped({}, { _meta: meta }))
    expect(run.view()).toMatchObject({ phase: 'working', interim: typeof text === 'string' ? text : null })
    await expectGone(run)
  })

  test.each(notSupport)('asking what the tool supports throws at once, and the error is %s', async (_, error) => {
    const run = await startCall(
      {},
      {
        taskSupport() {
          throw error
        },
      },
    )
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'not-sent' } })
    expect(run.connection.wire).toEqual([])
    await expectGone(run)
  })
})

describe('consents that a call wants first (-32042)', () => {
  const start = async (data: unknown) => {
    const run = await startCall()
    await run.connection.last('tools/call').fail({ code: -32042, message: 'Consent first', data })
    return run
  }

  test.each(junk)('its data are %s: the call has failed', async (_, data) => {
    const run = await start(data)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', code: -32042 } })
    await expectGone(run)
  })

  test.each(junk)(
    'its list is %s: the call has failed, or there is something to consent to',
    async (_, elicitations) => {
      const run = await start({ elicitations })
      expectClear(run)
      expect(run.view().phase).toBe(openKeys(run).length > 0 ? 'input_required' : 'failed')
      await expectGone(run)
    },
  )

  test('ids such as `__proto__`, or the same one twice, are ordinary ids', async () => {
    const elicitations = ['__proto__', 'constructor', 'same', 'same', ''].map((elicitationId) => ({
      mode: 'url',
      elicitationId,
      url: 'https://tiles.example/consent',
    }))
    const run = await start({ elicitations })
    expect(openKeys(run)).toEqual(['__proto__', 'constructor', 'same', 'elicitation-4'])
    expect(Object.prototype).not.toHaveProperty('mode')
    const answers = openKeys(run).map((key) => [key, { action: 'accept' }])
    ignore(run.runner.respond(Object.fromEntries(answers)))
    await settle()
    expect(run.connection.wire).toEqual(['tools/call', 'tools/call'])
    expect(run.connection.last('tools/call').params).toEqual(run.connection.sent[0]!.params)
    await expectGone(run)
  })

  test('a server that wants them again and again is left in the end', async () => {
    const run = await startCall()
    run.connection.on('tools/call', () => Promise.reject(failure))
    const failure = { code: -32042, message: 'Consent first', data: { elicitations: [{ mode: 'url' }] } }
    await run.connection.last('tools/call').fail(failure)
    for (let round = 0; round < 50 && !run.view().isTerminal; round++) {
      ignore(run.runner.respond(Object.fromEntries(openKeys(run).map((key) => [key, { action: 'accept' }]))))
      await settle()
    }
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol' } })
    expect(run.connection.count('tools/call')).toBeLessThanOrEqual(11)
    await expectGone(run)
  })
})

describe('what answers the cancel of an augmented task', () => {
  test.each(junk)('is %s: it was heard, and the task is followed to its end', async (_, answer) => {
    const run = await startAnswered(wrapped())
    ignore(run.runner.cancel())
    await run.connection.last('tasks/cancel').answer(answer as never)
    expect(run.view()).toMatchObject({ phase: 'cancelling', confirmed: null })
    run.connection.on('tasks/get', () => flat('cancelled'))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(run.connection.count('tasks/cancel')).toBe(1)
    expect(run.connection.count('tasks/result')).toBe(0)
    await expectGone(run)
  })

  test('is about another task: ours is not cancelled by it', async () => {
    const run = await startAnswered(wrapped())
    ignore(run.runner.cancel())
    await run.connection.last('tasks/cancel').answer(flat('cancelled', { taskId: 'tk-2' }))
    expect(run.view()).toMatchObject({ phase: 'cancelling', confirmed: null })
    await expectGone(run)
  })

  test.each(notStrings)('has %s for a status: it says nothing', async (_, status) => {
    const run = await startAnswered(wrapped())
    ignore(run.runner.cancel())
    await run.connection.last('tasks/cancel').answer(flat('cancelled', { status }))
    expect(run.view()).toMatchObject({ phase: 'cancelling', confirmed: null })
    await expectGone(run)
  })
})

describe('what answers tasks/result of a completed task', () => {
  test.each(notObjects)('is %s: the run fails as malformed, and is not an empty success', async (_, answer) => {
    const run = await startAnswered(wrapped({ status: 'completed' }))
    run.connection.on('tasks/result', () => answer as never)
    await run.connection.last('tasks/result').answer(answer as never)
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'failed', result: null, error: { kind: 'malformed' } })
    expect(run.connection.count('tasks/result')).toBeLessThanOrEqual(3)
    await expectGone(run)
  })

  test.each(junk)(
    'names %s as its task: another one’s result is not ours, and what is no name counts for nothing',
    async (_, taskId) => {
      const run = await startAnswered(wrapped({ status: 'completed' }))
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId } }
      run.connection.on('tasks/result', () => payload('of another', { _meta }))
      await run.connection.last('tasks/result').answer(payload('of another', { _meta }))
      await vi.advanceTimersByTimeAsync(hour)
      expectClear(run)
      expect(run.view().isTerminal || run.view().phase === 'detached').toBe(true)
      expect(run.view().result === null).toBe(taskId !== 'tk-1')
      await expectGone(run)
    },
  )

  test.each([
    ['ten million characters', { content: [{ type: 'text', text: 'x'.repeat(10_000_000) }] }],
    ['a hundred thousand levels', { content: [], structuredContent: nested(100_000) }],
  ])('is %s large: it is delivered as it is', async (_, result) => {
    const run = await startAnswered(wrapped({ status: 'completed' }), { inspect: () => {} })
    await run.connection.last('tasks/result').answer(result)
    expect(run.view().result?.raw).toBe(result)
    await expectGone(run)
  })
})

describe('what answers tasks/list', () => {
  const connect = (page: unknown) => {
    const connection = createFakeConnection({ generation: '2025-11-25' })
    connection.on('tasks/list', () => page as never)
    return connection
  }

  test.each(junk)('is %s: an error, not an empty list', async (_, page) => {
    await expect(listTasks(connect(page))).rejects.toMatchObject({ kind: 'malformed' })
  })

  test.each(junk.filter(([, value]) => !Array.isArray(value)))('has %s for its tasks: an error', async (_, tasks) => {
    await expect(listTasks(connect({ tasks }))).rejects.toMatchObject({ kind: 'malformed' })
  })

  test.each(junk)('has %s among its tasks: the others are listed', async (_, odd) => {
    const tasks = [odd, flat('working', { taskId: odd }), flat()]
    const listed = await listTasks(connect({ tasks }))
    expect(listed.tasks.at(-1)).toMatchObject({ taskId: 'tk-1', status: 'working' })
    expect(listed.tasks.every(({ taskId }) => taskId === 'tk-1')).toBe(true)
  })

  test.each(notStrings)('has %s for a cursor: it was the last page', async (_, nextCursor) => {
    expect(await listTasks(connect({ tasks: [], nextCursor }))).toEqual({ tasks: [] })
  })

  test.each([
    [() => undefined],
    [
      () => {
        throw new Error('not connected')
      },
    ],
  ])('is no promise, or is thrown: an error of ours', async (request) => {
    const connection = createFakeConnection({ generation: '2025-11-25', request: request as never })
    await expect(listTasks(connection)).rejects.toMatchObject({ name: 'TaskError' })
  })
})
