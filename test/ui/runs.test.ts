import { idleView, type TaskReference } from '@mcp-task-machine/core'
import { createRuns } from '@mcp-task-machine/example-ui'
import { expect, test, vi } from 'vitest'
import { view } from './views.ts'

const reference: TaskReference = { version: 1, protocol: 'extension', endpoint: 'e', tool: 't', taskId: 'i' }

/** Storage as a browser has it. */
function memory(kept: Record<string, string> = {}) {
  return {
    kept,
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => void (kept[key] = value),
  }
}

test('a page begins with one run that waits for its form', () => {
  const runs = createRuns(memory(), 'runs')
  expect(runs.getSnapshot()).toMatchObject([{ tool: 'start_research', args: null, reference: null, history: [] }])
})

test('a new run comes first, and a removed one is gone', () => {
  const runs = createRuns(memory(), 'runs')
  const [first] = runs.getSnapshot()
  runs.add()
  expect(runs.getSnapshot()[1]).toBe(first)
  runs.remove(first!.id)
  expect(runs.getSnapshot()).toHaveLength(1)
})

test('runs outlive the page that began them, by their key', () => {
  const storage = memory()
  const runs = createRuns(storage, 'runs')
  const { id } = runs.getSnapshot()[0]!
  runs.begin(id, { query: 'a' })
  runs.record(id, view({ phase: 'working' }), reference)
  expect(createRuns(storage, 'runs').getSnapshot()).toEqual(runs.getSnapshot())
  expect(createRuns(storage, 'others').getSnapshot()[0]!.reference).toBeNull()
})

test.each(['no JSON', '{}', '[]', 'null'])('a storage that holds %j is no hindrance', (kept) => {
  expect(createRuns(memory({ runs: kept }), 'runs').getSnapshot()).toHaveLength(1)
})

test('the reference of a run stays when the run has ended, and goes when it begins anew', () => {
  const runs = createRuns(memory(), 'runs')
  const { id } = runs.getSnapshot()[0]!
  const now = () => runs.getSnapshot()[0]!
  runs.record(id, view({ phase: 'working' }), reference)
  runs.record(id, view({ phase: 'completed', isTerminal: true }), null)
  expect(now().reference).toEqual(reference)
  expect(now().history.map(({ text }) => text)).toEqual(['Working', 'Finished. The result is below.'])
  runs.begin(id, { query: 'b' })
  expect(now()).toMatchObject({ reference: null, history: [], args: { query: 'b' } })
})

test('a run that another page has begun anew is followed from its end, and its reference is not overwritten meanwhile', () => {
  const storage = memory()
  const [here, there] = [createRuns(storage, 'runs'), createRuns(storage, 'runs')]
  const { id } = here.getSnapshot()[0]!
  const renewed = { ...reference, taskId: 'j' }
  const working = () => view({ phase: 'working', isWorking: true })
  const ended = view({ phase: 'cancelled', isTerminal: true })

  here.record(id, working(), reference)
  there.reread()
  expect(there.elsewhere(id, idleView)).toEqual(reference)
  there.record(id, working(), reference)
  here.record(id, ended, null)
  expect(here.elsewhere(id, ended)).toBeNull()

  here.record(id, working(), renewed)
  there.reread()
  const late = working()
  there.record(id, late, reference)
  expect(there.elsewhere(id, late)).toBeNull()
  there.record(id, ended, null)
  expect(there.elsewhere(id, ended)).toEqual(renewed)

  there.record(id, working(), renewed)
  there.record(id, ended, null)
  expect([here.elsewhere(id, ended), there.elsewhere(id, ended)]).toEqual([null, null])
})

test('the same view twice changes nothing and tells nobody', () => {
  const runs = createRuns(memory(), 'runs', () => 5)
  const { id } = runs.getSnapshot()[0]!
  const listener = vi.fn<() => void>()
  const stop = runs.subscribe(listener)
  const working = view({ phase: 'working' })
  runs.record(id, working, reference)
  const before = runs.getSnapshot()
  runs.record(id, working, reference)
  expect(runs.getSnapshot()).toBe(before)
  expect(before[0]!.history).toEqual([{ at: 5, text: 'Working' }])
  expect(listener).toHaveBeenCalledOnce()
  stop()
  runs.add()
  expect(listener).toHaveBeenCalledOnce()
})

test('a history that grows long forgets its beginning', () => {
  const runs = createRuns(memory(), 'runs')
  const { id } = runs.getSnapshot()[0]!
  for (let step = 1; step <= 300; step++) {
    const progress = { value: null, total: null, percent: null, message: `Step ${step}` }
    runs.record(id, view({ phase: 'working', progress }), null)
  }
  const { history } = runs.getSnapshot()[0]!
  expect(history).toHaveLength(200)
  expect(history.at(-1)!.text).toBe('Step 300')
})

test('two pages on one storage have the same runs, each with what it has seen happen itself', () => {
  const storage = memory()
  const [one, other] = [createRuns(storage, 'runs', () => 1), createRuns(storage, 'runs', () => 2)]
  const listener = vi.fn<() => void>()
  other.subscribe(listener)
  const { id } = one.getSnapshot()[0]!
  const shown = () => other.getSnapshot().find((run) => run.id === id)
  one.begin(id, { query: 'a' })
  one.record(id, view({ phase: 'submitting' }), { ...reference, taskId: null })
  other.reread()
  expect(shown()).toMatchObject({ args: { query: 'a' }, reference: null, history: [] })
  one.record(id, view({ phase: 'working' }), reference)
  other.reread()
  expect(listener).toHaveBeenCalledTimes(2)
  expect(shown()!.reference).toEqual(reference)
  other.record(id, view({ phase: 'working' }), reference)
  expect(shown()!.history).toEqual([{ at: 2, text: 'Working' }])

  // What one adds is not lost where the other has not read it yet.
  one.add()
  other.startOver(id)
  one.reread()
  expect(one.getSnapshot()).toMatchObject([{ starts: 0 }, { id, starts: 1, reference: null, history: [] }])
  other.remove(id)
  one.add()
  expect(one.getSnapshot().map((run) => run.id)).not.toContain(id)
})
