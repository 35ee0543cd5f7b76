import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createAugmentedRun,
  flat,
  openKeys,
  openMessages,
  payload,
  readSays,
  startAsking,
  startTask,
  statusPush,
} from '../support/augmented.ts'
import { accepted, elicitation, settle } from '../support/fake-connection.ts'
import { cancel, createRun, ignore, stateOf } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const sampling = (text: string) => ({
  method: 'sampling/createMessage',
  params: { maxTokens: 60, messages: [{ role: 'user', content: { type: 'text', text } }] },
})
const roots = { method: 'roots/list', params: {} }
/** Two tasks over one connection, both working. */
async function startTwo() {
  const first = createAugmentedRun()
  await startTask(first, { taskId: 'tk-1' })
  const second = createRun({}, first.connection)
  await startTask(second, { taskId: 'tk-2' })
  return { first, second }
}

describe('whose a request of the server is', () => {
  test('it names the task: it is shown by that run, with who asks and what', async () => {
    const { first, second } = await startTwo()
    await first.connection.ask(elicitation(), 'tk-2')
    expect(openKeys(first)).toEqual([])
    expect(second.view()).toMatchObject({ phase: 'input_required', canRespond: true })
    const [key] = openKeys(second)
    expect(second.view().inputRequests[key!]).toMatchObject({
      key,
      kind: 'elicitation',
      server: first.connection.endpoint,
      ...elicitation(),
    })
  })

  test('it names no task, and one call is open: it is that one', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    const asked = await run.connection.ask(elicitation())
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {} })
  })

  test.each([
    ['names no task, and two calls are open', null],
    ['names a task that nobody here follows', 'tk-9'],
    ['names no task by an empty id', ''],
  ])('it %s: it is left to the app', async (_, taskId) => {
    const { first, second } = await startTwo()
    expect((await first.connection.ask(elicitation(), taskId)).told).toBe('app')
    expect([openKeys(first), openKeys(second)]).toEqual([[], []])
    expect([first.view().phase, second.view().phase]).toEqual(['working', 'working'])
  })

  test('once one of two has ended, what names no task is of the other', async () => {
    const { first, second } = await startTwo()
    first.connection.push(statusPush, flat('cancelled'))
    await settle()
    await first.connection.ask(elicitation())
    expect(openKeys(second)).toHaveLength(1)
  })

  test('it wants to know the folders: never of a call, unless it names the task', async () => {
    const run = createAugmentedRun()
    await startTask(run)
    expect((await run.connection.ask(roots)).told).toBe('app')
    const asked = await run.connection.ask(roots, 'tk-1')
    const [key] = openKeys(run)
    expect(run.view().inputRequests[key!]).toMatchObject({ kind: 'roots' })
    ignore(run.runner.respond({ [key!]: { roots: [] } }))
    await settle()
    expect(asked.told).toEqual({ answer: { roots: [] } })
  })

  test.each(['read', 'push'])(
    'the task has ended (told by a %s): it is left to the app, with or without an id',
    async (by) => {
      const run = createAugmentedRun()
      await startTask(run)
      if (by === 'push') run.connection.push(statusPush, flat('completed'))
      else await readSays(run, 'completed')
      for (const taskId of ['tk-1', null]) expect((await run.connection.ask(elicitation(), taskId)).told).toBe('app')
      await run.connection.last('tasks/result').answer(payload())
      for (const taskId of ['tk-1', null]) expect((await run.connection.ask(elicitation(), taskId)).told).toBe('app')
      expect(run.view()).toMatchObject({ phase: 'completed', inputRequests: {} })
    },
  )

  test('nobody calls anything: it is left to the app', async () => {
    const run = createAugmentedRun()
    expect((await run.connection.ask(elicitation())).told).toBe('app')
    await startTask(run)
    run.runner.reset()
    expect((await run.connection.ask(elicitation())).told).toBe('app')
    expect((await run.connection.ask(elicitation(), 'tk-1')).told).toBe('app')
    expect(run.connection.listeners).toBe(0)
  })
})

describe('answers', () => {
  test('several prompts are answered one by one, in any order', async () => {
    const { run, asked } = await startAsking()
    const second = await run.connection.ask(elicitation('Which palette?'), 'tk-1')
    const third = await run.connection.ask(sampling('Name this map.'), 'tk-1')
    const keys = openKeys(run)
    expect(keys).toHaveLength(3)
    expect(run.view().inputRequests[keys[2]!]).toMatchObject({ kind: 'sampling' })
    ignore(run.runner.respond({ [keys[1]!]: { action: 'decline' } }))
    await settle()
    expect(openKeys(run)).toEqual([keys[0], keys[2]])
    expect(second.told).toEqual({ answer: { action: 'decline' } })
    expect([asked.told, third.told]).toEqual([undefined, undefined])
    const answer = { role: 'assistant', model: 'm-1', content: { type: 'text', text: 'Turku at dusk' } }
    ignore(run.runner.respond({ [keys[2]!]: answer, [keys[0]!]: accepted }))
    await settle()
    expect(third.told).toEqual({ answer })
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.view()).toMatchObject({ phase: 'working', inputRequests: {}, error: null })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
  })

  test('the same answer twice, and answers to keys that nobody asked about, change nothing', async () => {
    const { run, asked } = await startAsking()
    const [key] = openKeys(run)
    ignore(run.runner.respond({ other: accepted, [key!]: accepted }))
    ignore(run.runner.respond({ [key!]: { action: 'decline' } }))
    await settle()
    ignore(run.runner.respond({ [key!]: { action: 'decline' } }))
    await settle()
    expect(asked.told).toEqual({ answer: accepted })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result'])
  })

  test('respond() resolves once the answer is handed over', async () => {
    const { run } = await startAsking()
    expect(await stateOf(run.runner.respond({ [openKeys(run)[0]!]: accepted }))).toBe('resolved')
  })

  test('the same question again while it is open, as after a broken stream: asked once, and one answer for both', async () => {
    const { run, asked } = await startAsking()
    const told = run.views.length
    const again = await run.connection.ask(elicitation(), 'tk-1')
    expect(openKeys(run)).toHaveLength(1)
    expect(run.views).toHaveLength(told)
    ignore(run.runner.respond({ [openKeys(run)[0]!]: accepted }))
    await settle()
    expect([asked.told, again.told]).toEqual([{ answer: accepted }, { answer: accepted }])
  })

  test('the same question again after its answer is a new one, with a key of its own', async () => {
    const { run } = await startAsking()
    const [key] = openKeys(run)
    ignore(run.runner.respond({ [key!]: accepted }))
    await settle()
    const again = await run.connection.ask(elicitation(), 'tk-1')
    expect(again.told).toBeUndefined()
    expect(openKeys(run)).toHaveLength(1)
    expect(openKeys(run)).not.toEqual([key])
  })

  test('two tasks that ask the same are asked apart', async () => {
    const { first, second } = await startTwo()
    const [one, two] = [
      await first.connection.ask(elicitation(), 'tk-1'),
      await first.connection.ask(elicitation(), 'tk-2'),
    ]
    ignore(second.runner.respond({ [openKeys(second)[0]!]: accepted }))
    await settle()
    expect([one.told, two.told]).toEqual([undefined, { answer: accepted }])
    expect(first.view().phase).toBe('input_required')
  })

  test('a prompt that the server takes back is gone, the others stay', async () => {
    const { run, asked } = await startAsking()
    await run.connection.ask(elicitation('Which palette?'), 'tk-1')
    await asked.withdraw()
    expect(openMessages(run)).toEqual(['Which palette?'])
    expect(asked.told).toBeUndefined()
  })
})

describe('cancel while a prompt is open', () => {
  test('the server is told `cancel` for it, tasks/cancel goes out, and nobody can answer any more', async () => {
    const { run, asked } = await startAsking()
    const other = await run.connection.ask(sampling('Name this map.'), 'tk-1')
    const [key] = openKeys(run)
    const request = cancel(run)
    await settle()
    expect(run.view()).toMatchObject({ phase: 'cancelling', inputRequests: {}, canRespond: false })
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(other.told).toEqual({ error: { code: -1, message: expect.stringMatching(/\S/) } })
    ignore(run.runner.respond({ [key!]: accepted }))
    expect(request.params).toEqual({ taskId: 'tk-1' })
    await request.answer(flat('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(asked.told).toEqual({ answer: { action: 'cancel' } })
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/cancel'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('only those of the run that is cancelled', async () => {
    const { first, second } = await startTwo()
    const [one, two] = [
      await first.connection.ask(elicitation(), 'tk-1'),
      await first.connection.ask(elicitation(), 'tk-2'),
    ]
    cancel(first)
    await settle()
    expect(one.told).toEqual({ answer: { action: 'cancel' } })
    expect(two.told).toBeUndefined()
    expect(second.view()).toMatchObject({ phase: 'input_required', canRespond: true })
  })
})
