import { expect, test, vi } from 'vitest'
import { createActor } from 'xstate'
import { createTaskMachine, toTaskView } from '../../src/index.ts'
import { flat, payload, wrapped } from '../support/augmented.ts'
import { accepted, createFakeConnection, elicitation, settle } from '../support/fake-connection.ts'
import { containedTests, ignore } from '../support/hostile.ts'
import { openKeys, startCall, startWaiting, type Options } from './support.ts'

containedTests()

type Answer = Exclude<NonNullable<Options['onInputRequired']>, string>

test('`onInputRequired` is called once for a question, also when the handle comes while it thinks', async () => {
  let answer: (given: object) => void = () => {}
  const onInputRequired = vi.fn<Answer>(() => new Promise((resolve) => (answer = resolve as never)))
  const run = await startCall({ onInputRequired })
  const asked = await run.connection.ask(elicitation())
  const first = answer
  await run.connection.last('tools/call').answer(wrapped())
  first(accepted)
  await settle()
  expect(onInputRequired).toHaveBeenCalledTimes(1)
  expect(asked.told).toEqual({ answer: accepted })
})

test('`onInputRequired` is called once for a question, also when the task could not be reached meanwhile', async () => {
  const onInputRequired = vi.fn<Answer>(() => new Promise<never>(() => {}))
  const run = await startWaiting({ onInputRequired })
  await run.connection.ask(elicitation(), 'tk-1')
  run.connection.on('tasks/get', () => Promise.reject({ status: 503 }))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run.view().phase).toBe('detached')
  run.connection.on('tasks/get', () => flat('input_required'))
  ignore(run.runner.resume())
  await vi.advanceTimersByTimeAsync(10_000)
  expect(run.view().phase).toBe('input_required')
  expect(onInputRequired).toHaveBeenCalledTimes(1)
})

test('a call is let go while it asks: the server does not wait for an answer for ever', async () => {
  const run = await startCall()
  const asked = await run.connection.ask(elicitation())
  run.runner.reset()
  await settle()
  expect(asked.told).toBeDefined()
})

test('a call asks and is answered by a task that has ended: the server does not wait for an answer for ever', async () => {
  const run = await startCall()
  const asked = await run.connection.ask(elicitation())
  await run.connection.last('tools/call').answer(wrapped({ status: 'completed' }))
  await run.connection.last('tasks/result').answer(payload())
  expect(run.view().phase).toBe('completed')
  expect(asked.told).toEqual({ answer: { action: 'cancel' } })
})

test('another question about a task whose handle is awaited is kept, also when 32 ids are', async () => {
  const run = await startCall()
  for (let nth = 0; nth < 32; nth++) await run.connection.ask(elicitation(`${nth}`), `tk-${nth}`)
  const more = await run.connection.ask(elicitation('more'), 'tk-1')
  expect(more.told).toBeUndefined()
})

test('a server that asks thousands of things at once floods neither the page nor its processor', async () => {
  const run = await startWaiting()
  const asked = []
  for (let nth = 0; nth < 300; nth++) asked.push(await run.connection.ask(elicitation(`${nth}`), 'tk-1'))
  expect(openKeys(run).length).toBeLessThanOrEqual(100)
  expect(asked.at(-1)!.told).toBeDefined()
})

test('restored in another process, a question that nobody waits for any more is withdrawn at once', async () => {
  const connection = createFakeConnection({ generation: '2025-11-25' })
  const actor = createActor(createTaskMachine({ connection, tool: 'tile_city' }))
  actor.start()
  actor.send({ type: 'fire', args: {} })
  await settle()
  await connection.last('tools/call').answer(wrapped())
  await connection.ask(elicitation(), 'tk-1')
  const snapshot = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))
  actor.stop()
  const later = createFakeConnection({ generation: '2025-11-25' })
  later.on('tasks/get', () => flat())
  const restored = createActor(createTaskMachine({ connection: later, tool: 'tile_city' }), { snapshot })
  restored.start()
  expect(toTaskView(restored.getSnapshot()).inputRequests).toEqual({})
  restored.stop()
})
