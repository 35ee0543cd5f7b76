import { expect, test, vi } from 'vitest'
import { createTaskRunner } from '../../src/index.ts'
import { hubOf } from '../../src/connection/hub.ts'
import { flat, payload, statusPush, wrapped } from '../support/augmented.ts'
import { accepted, completed, createFakeConnection, elicitation, settle } from '../support/fake-connection.ts'
import { countHeld } from '../support/heap.ts'
import { containedTests, ignore } from '../support/hostile.ts'
import { hour, listening, openKeys } from './support.ts'

containedTests()

const rounds = 30

/** One whole run with a question before the handle, one after it, an early fetch and pushes. */
async function runOnce(connection: ReturnType<typeof createFakeConnection>, taskId: string, end: string) {
  const runner = createTaskRunner({ connection, tool: 'tile_city' })
  const run = { view: () => runner.getSnapshot() }
  const stop = runner.subscribe(() => {})
  ignore(runner.fire({ taskId }))
  await settle()
  const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } }
  const early = await connection.ask(elicitation('before?'), taskId)
  await connection.last('tools/call').answer(wrapped({ taskId, status: 'input_required' }))
  const fetch = connection.last('tasks/result')
  const asked = await connection.ask(elicitation('after?'), taskId)
  ignore(runner.respond(Object.fromEntries(openKeys(run).map((key) => [key, accepted]))))
  await settle()
  connection.push(statusPush, flat('working', { taskId, statusMessage: 'on it' }))
  if (end === 'is answered early') await fetch.answer(payload('done', related))
  if (end === 'is pushed') {
    connection.push(statusPush, flat('completed', { taskId }))
    await fetch.answer(payload('done', related))
  }
  if (end === 'is cancelled') {
    ignore(runner.cancel())
    await connection.last('tasks/cancel').answer(flat('cancelled', { taskId }))
    await fetch.fail({ code: -32603, message: 'cancelled' })
  }
  if (end === 'is let go') {
    runner.reset()
    await fetch.answer(payload('done', related))
  }
  stop()
  const { phase } = run.view()
  runner.dispose()
  connection.sent.length = 0
  return { phase, told: [early.told, asked.told], ref: new WeakRef(runner.actor as object) }
}

test.each([
  ['is answered early', 'completed'],
  ['is pushed', 'completed'],
  ['is cancelled', 'cancelled'],
  ['is let go', 'idle'],
])('thirty runs, each of which %s: nothing of them is left on the connection', async (end, phase) => {
  const connection = createFakeConnection({ generation: '2025-11-25' })
  connection.on('tasks/get', ({ taskId }) => flat('input_required', { taskId }))
  const held: WeakRef<object>[] = []
  for (let nth = 0; nth < rounds; nth++) {
    const run = await runOnce(connection, `tk-${nth}`, end)
    expect(run).toMatchObject({ phase, told: [{ answer: accepted }, { answer: accepted }] })
    held.push(run.ref)
  }
  await vi.advanceTimersByTimeAsync(hour)
  expect(connection.listeners).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  // The last reader may still hold back a read that would come too early; the next run lets it go.
  await runOnce(connection, 'last', end)
  for (let nth = 0; nth < rounds; nth++) expect(hubOf(connection).find(`tk-${nth}`)).toBeUndefined()
  expect(await countHeld(held)).toBeLessThanOrEqual(1)
})

test('thirty runs with subscriptions: nothing of them is left on the connection', async () => {
  const { connection, listens, open, start } = listening()
  const held: WeakRef<object>[] = []
  const runSubscribed = async (taskId: string) => {
    const { runner, view } = await start(taskId)
    await vi.advanceTimersByTimeAsync(1000)
    expect(open()).toHaveLength(1)
    connection.push('notifications/tasks', { ...completed(), taskId })
    expect(view().phase).toBe('completed')
    runner.dispose()
    connection.sent.length = 0
    return new WeakRef(runner.actor as object)
  }
  for (let nth = 0; nth < rounds; nth++) {
    held.push(await runSubscribed(`tk-${nth}`))
    expect(open()).toEqual([])
  }
  expect(listens).toHaveLength(rounds)
  expect(connection.listeners).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  listens.length = 0
  await runSubscribed('last')
  expect(await countHeld(held)).toBeLessThanOrEqual(1)
})
