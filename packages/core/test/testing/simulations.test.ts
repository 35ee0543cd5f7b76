import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTaskRunner, jobTools, TaskError, toModelContext } from '../../src/index.ts'
import { createTestClock, reportTools, simulations, type Simulation } from '../../src/testing/index.ts'
import { stubPage } from '../support/fake-page.ts'

afterEach(() => void vi.unstubAllGlobals())

const all = Object.entries(simulations)
const plainly = (view: unknown): unknown => JSON.parse(JSON.stringify(view))

async function play(simulation: Simulation) {
  const page = stubPage()
  const runner = await simulation.play()
  if (simulation.act === 'offline') page.goOffline()
  return runner
}

describe.each(all)('%s', (_, simulation) => {
  test('is what a real runner shows', async () => {
    const runner = await play(simulation)
    expect(plainly(runner.getSnapshot())).toEqual(plainly(simulation.view))
    expect(TaskError.is(simulation.view.error)).toBe(simulation.view.error !== null)
    runner.dispose()
  })

  test('stays as it is, however long one looks', async () => {
    const page = stubPage()
    const server = simulation.server()
    const runner = await simulation.play(server.connection)
    if (simulation.act === 'offline') page.goOffline()
    const before = runner.getSnapshot()
    await server.clock.advance(3_600_000)
    expect(runner.getSnapshot()).toBe(before)
    runner.dispose()
  })

  test('says in a sentence what it is', () => {
    expect(simulation.title).toMatch(/^[A-Z].*\w$/)
    expect(simulation.sentence).toMatch(/^[A-Z].*\.$/)
  })
})

test('there is one for each of the boring states', () => {
  expect(Object.keys(simulations)).toEqual(
    expect.arrayContaining([
      'queued',
      'runningWithPercent',
      'runningWithoutPercent',
      'succeededWithArtifact',
      'failed',
      'cancelled',
      'cancelRequested',
      'timedOutWithRetry',
      'staleId',
      'missingPermission',
      'submitting',
      'completed',
      'inputRequired',
      'offline',
      'detached',
      'lost',
      'expired',
    ]),
  )
})

test('what is to do is done: retry after a time-out runs the same job again', async () => {
  const runner = await play(simulations.timedOutWithRetry)
  await runner.retry()
  expect(runner.getSnapshot()).toMatchObject({ phase: 'working', attempt: 2, job: { word: 'queued' } })
  runner.dispose()
})

test('two plays of one simulation know nothing of each other', async () => {
  const [one, other] = [await play(simulations.queued), await play(simulations.queued)]
  await one.cancel()
  expect(one.getSnapshot().phase).toBe('cancelled')
  expect(other.getSnapshot().phase).toBe('working')
  one.dispose()
  other.dispose()
})

test('a view can be where a page begins', () => {
  const { view, tool, connection } = simulations.runningWithPercent
  const runner = createTaskRunner({ connection: connection(), tool, initialView: view })
  expect(runner.getSnapshot()).toBe(view)
  runner.dispose()
})

test('what is for people only is not for models', () => {
  expect(JSON.stringify(toModelContext(simulations.queued.view))).not.toMatch(/trace-41|Asked the ledger/)
})

test('the connection is over the clock that it is given', () => {
  const clock = createTestClock(0)
  expect(simulations.queued.connection(clock).clock).toBe(clock)
  expect(simulations.queued.server(clock).clock.now()).toBe(0)
  expect(jobTools(reportTools).name).toBe(simulations.queued.options.protocol?.['name' as never])
})
