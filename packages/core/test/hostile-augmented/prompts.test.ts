import { describe, expect, test, vi } from 'vitest'
import { createTaskRunner } from '../../src/index.ts'
import { flat, payload, wrapped } from '../support/augmented.ts'
import { accepted, createFakeConnection, elicitation, settle } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, junk, nested } from '../support/hostile.ts'
import { createOddAsker, openKeys, startCall, startWaiting } from './support.ts'

containedTests()

const cancelled = { answer: { action: 'cancel' } }

describe('what a server asks is not what the protocol says', () => {
  test.each(junk.filter(([, value]) => typeof value !== 'string'))(
    'its method is %s: it gets an error, and nobody is asked',
    async (_, method) => {
      const { ask, onServerRequest } = createOddAsker()
      const run = await startWaiting({}, { onServerRequest })
      const told = ask(method, {})
      await settle()
      expect(told).toMatchObject([{ code: -32602 }])
      expect(openKeys(run)).toEqual([])
      await expectGone(run)
    },
  )

  test.each(junk)(
    'its parameters are %s: it can be answered or gets an error, and reading goes on',
    async (_, params) => {
      const { ask, onServerRequest } = createOddAsker()
      const run = await startWaiting({}, { onServerRequest })
      // Twice, since the second one is compared with the first.
      const asked = [ask('elicitation/create', params), ask('elicitation/create', params)]
      await settle()
      expectClear(run)
      ignore(run.runner.respond(Object.fromEntries(openKeys(run).map((key) => [key, accepted]))))
      await settle()
      for (const told of asked) expect(told).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1000)
      await run.connection.last('tasks/get').answer(flat('completed'))
      await run.fetch.answer(payload())
      expect(run.view().phase).toBe('completed')
      await expectGone(run)
    },
  )

  test.each(['sampling/createMessage', 'roots/list', 'toString', '__proto__', ''])(
    'it asks for `%s` in the name of our task: it is shown for what it is, and nothing is answered by itself',
    async (method) => {
      const run = await startWaiting()
      const asked = await run.connection.ask({ method, params: {} }, 'tk-1')
      expect(Object.values(run.view().inputRequests)).toMatchObject([{ method }])
      expect(asked.told).toBeUndefined()
      ignore(run.runner.cancel())
      await settle()
      expect(asked.told).toMatchObject({ error: { code: -1 } })
      await expectGone(run)
    },
  )

  test('keys such as `__proto__` in parameters stay ordinary keys', async () => {
    const { ask, onServerRequest } = createOddAsker()
    const run = await startWaiting({}, { onServerRequest })
    for (const polluted of [true, false])
      ask('elicitation/create', JSON.parse(`{"__proto__":{"polluted":${polluted}},"constructor":1}`))
    expect(openKeys(run)).toHaveLength(2)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    await expectGone(run)
  })

  test('ten million characters and a hundred thousand levels are shown, and can be answered', async () => {
    const run = await startWaiting({ inspect: () => {} })
    const ask = () =>
      run.connection.ask(
        { method: 'elicitation/create', params: { message: 'x'.repeat(10_000_000), schema: nested(100_000) } },
        'tk-1',
      )
    const asked = [await ask(), await ask()]
    expect(openKeys(run).length).toBeGreaterThan(0)
    await run.runner.respond(Object.fromEntries(openKeys(run).map((key) => [key, accepted])))
    expect(asked.map(({ told }) => told)).toEqual([{ answer: accepted }, { answer: accepted }])
    await expectGone(run)
  })
})

describe('whose a question is', () => {
  test.each(['tk-2', '__proto__', 'constructor', '', 'tk-1 '])(
    'a question about task `%s` is not ours: it is left to the app at once, and not shown',
    async (taskId) => {
      const run = await startWaiting()
      const asked = await run.connection.ask(elicitation(), taskId)
      expect(asked.told).toBe('app')
      expect(openKeys(run)).toEqual([])
      await expectGone(run)
    },
  )

  test('thousands of questions about strangers while our call is out neither grow the memory nor reach the view', async () => {
    const run = await startCall()
    const asked = []
    for (let nth = 0; nth < 3000; nth++) asked.push(await run.connection.ask(elicitation(), `stranger-${nth}`))
    const held = asked.filter(({ told }) => told === undefined)
    expect(held.length).toBeLessThanOrEqual(32)
    expect(run.view()).toMatchObject({ phase: 'submitting', inputRequests: {} })
    await run.connection.last('tools/call').answer(wrapped())
    for (const { told } of asked) expect(told).toBe('app')
    expect(openKeys(run)).toEqual([])
    await expectGone(run)
  })

  test.each([
    ['fails', (run: Awaited<ReturnType<typeof startCall>>) => run.connection.last('tools/call').fail({ code: -32603 })],
    ['is answered outright', (run) => run.connection.last('tools/call').answer(payload())],
    ['is let go', (run) => void run.runner.reset()],
    ['is given up', (run) => run.runner.dispose()],
  ] as [string, (run: Awaited<ReturnType<typeof startCall>>) => unknown][])(
    'our call %s: what was asked about a task that nobody knows goes to the app',
    async (_, end) => {
      const run = await startCall()
      const asked = await run.connection.ask(elicitation(), 'tk-9')
      expect(asked.told).toBeUndefined()
      await end(run)
      await settle()
      expect(asked.told).toBe('app')
      await expectGone(run)
    },
  )
})

describe('how often a question is asked and answered', () => {
  test('the same one fifty times is shown once, and one answer is for all', async () => {
    const run = await startWaiting()
    const asked = []
    for (let nth = 0; nth < 50; nth++) asked.push(await run.connection.ask(elicitation(), 'tk-1'))
    expect(openKeys(run)).toHaveLength(1)
    await run.runner.respond({ [openKeys(run)[0]!]: accepted })
    for (const { told } of asked) expect(told).toEqual({ answer: accepted })
    expect(openKeys(run)).toEqual([])
    await expectGone(run)
  })

  test('a hundred different ones are shown, and one cancel answers them all', async () => {
    const run = await startWaiting()
    const asked = []
    for (let nth = 0; nth < 100; nth++) asked.push(await run.connection.ask(elicitation(`Tile ${nth}?`), 'tk-1'))
    expect(openKeys(run)).toHaveLength(100)
    ignore(run.runner.cancel())
    await settle()
    for (const { told } of asked) expect(told).toEqual(cancelled)
    expect(run.connection.wire.at(-1)).toBe('tasks/cancel')
    await expectGone(run)
  })

  test('one that was taken back gets no answer, also when someone was just giving it', async () => {
    const run = await startWaiting()
    const asked = await run.connection.ask(elicitation(), 'tk-1')
    const [key] = openKeys(run)
    await asked.withdraw()
    expect(openKeys(run)).toEqual([])
    await run.runner.respond({ [key!]: accepted })
    expect(asked.told).toBeUndefined()
    expect(run.connection.wire).not.toContain('tasks/update')
    await expectGone(run)
  })

  test('answers to keys that nobody asked for go nowhere', async () => {
    const run = await startWaiting()
    const asked = await run.connection.ask(elicitation(), 'tk-1')
    await run.runner.respond(JSON.parse('{"__proto__":{"action":"accept"},"asked-0":{"action":"accept"}}'))
    expect(asked.told).toBeUndefined()
    expect(openKeys(run)).toHaveLength(1)
    expect(run.connection.wire).not.toContain('tasks/update')
    await expectGone(run)
  })

  test('the answer of the second of two runs that show it changes nothing', async () => {
    const run = await startWaiting()
    const other = createTaskRunner({ connection: run.connection, tool: 'tile_city' })
    other.subscribe(() => {})
    ignore(other.resume(run.runner.reference))
    await settle()
    const asked = await run.connection.ask(elicitation(), 'tk-1')
    const [key] = openKeys(run)
    ignore(run.runner.respond({ [key!]: accepted }))
    ignore(other.respond({ [key!]: { action: 'decline' } }))
    run.connection.on('tasks/get', () => flat())
    await vi.advanceTimersByTimeAsync(5000)
    expect(asked.told).toEqual({ answer: accepted })
    expect(openKeys(run)).toEqual([])
    expect(other.getSnapshot()).toMatchObject({ phase: 'working', inputRequests: {} })
    other.dispose()
    await expectGone(run)
  })

  test('one that comes at every read, each time new, is asked each time and costs no request of ours', async () => {
    const run = await startWaiting()
    run.connection.on('tasks/get', () => flat('input_required'))
    for (let nth = 0; nth < 60; nth++) {
      await run.connection.ask(elicitation(`${nth}`), 'tk-1')
      ignore(run.runner.respond(Object.fromEntries(openKeys(run).map((key) => [key, accepted]))))
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(openKeys(run)).toEqual([])
    expect(run.connection.count('tasks/get')).toBeLessThanOrEqual(62)
    await expectGone(run)
  })

  test('an answer for a task that has just ended harms nothing', async () => {
    const run = await startWaiting()
    const asked = await run.connection.ask(elicitation(), 'tk-1')
    const [key] = openKeys(run)
    await run.fetch.answer(payload())
    expect(run.view().phase).toBe('completed')
    await run.runner.respond({ [key!]: accepted })
    expect(asked.told).toEqual(cancelled)
    await expectGone(run)
  })
})

test('a connection that brings no questions of the server has tasks all the same', async () => {
  const connection = createFakeConnection({ generation: '2025-11-25' })
  Object.assign(connection, { onServerRequest: undefined })
  const runner = createTaskRunner({ connection, tool: 'tile_city' })
  ignore(runner.fire())
  await settle()
  await connection.last('tools/call').answer(wrapped({ status: 'input_required' }))
  await connection.last('tasks/result').answer(payload())
  expect(runner.getSnapshot().phase).toBe('completed')
  runner.dispose()
})
