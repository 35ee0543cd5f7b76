import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { completed, createFakeConnection, handle, settle, snapshot } from '../support/fake-connection.ts'
import { stubPage } from '../support/fake-page.ts'
import { cancel, createRun, fire, fireTask, ignore, nextRead, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('offline', () => {
  test('race 22: offline for ten minutes: no read meanwhile, one read when back, then as before', async () => {
    const page = stubPage()
    const run = createRun()
    await fireTask(run)
    page.goOffline()
    expect(run.view()).toMatchObject({ phase: 'working', detachedBecause: 'offline', isStale: true, error: null })
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    page.goOnline()
    expect(run.view()).toMatchObject({ detachedBecause: null })
    await vi.advanceTimersByTimeAsync(999)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    ['completed', completed(), 'completed'],
    ['gone', null, 'expired'],
  ])('race 22: the lifetime passes while offline: the first answer decides (%s)', async (_, answer, phase) => {
    const page = stubPage()
    const run = createRun()
    await fireTask(run, { ttlMs: 5000 })
    await (await nextRead(run)).answer(snapshot('working', { ttlMs: 5000 }))
    page.goOffline()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.view().phase).toBe('working')
    page.goOnline()
    await vi.advanceTimersByTimeAsync(0)
    expect(run.connection.count('tasks/get')).toBe(2)
    const read = run.connection.last('tasks/get')
    await (answer ? read.answer(answer) : read.fail(trouble.gone))
    expect(run.view().phase).toBe(phase)
    expect(run.connection.count('tasks/get')).toBe(2)
  })

  test('race 22: going on- and offline again and again costs no extra reads', async () => {
    const page = stubPage()
    const run = createRun()
    await fireTask(run)
    for (let n = 0; n < 9; n++) {
      await vi.advanceTimersByTimeAsync(100)
      page.goOffline()
      page.goOnline()
    }
    expect(run.connection.count('tasks/get')).toBe(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(run.connection.count('tasks/get')).toBe(1)
  })
})

// No event tells of it: timers stand still, and then the clock has moved.
describe('asleep, frozen, or in the back/forward cache', () => {
  test.each([
    ['completed', completed(), 'completed'],
    ['gone', null, 'expired'],
  ])('for an hour: one read, and only its answer says what the lifetime means (%s)', async (_, answer, phase) => {
    const run = createRun({ background: true })
    await fireTask(run, { ttlMs: 90_000 })
    await (await nextRead(run)).answer(snapshot('working', { ttlMs: 90_000 }))
    vi.setSystemTime(Date.now() + 3_600_000)
    expect(run.view().phase).toBe('working')
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.connection.count('tasks/get')).toBe(2)
    expect(run.view().phase).toBe('working')
    const read = run.connection.last('tasks/get')
    await (answer ? read.answer(answer) : read.fail(trouble.gone))
    expect(run.view().phase).toBe(phase)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get', 'tasks/get'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('while hidden: it rests, and reads once when it is looked at again', async () => {
    const page = stubPage()
    const run = createRun()
    await fireTask(run, { ttlMs: 90_000 })
    page.setVisible(false)
    page.leave()
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    page.setVisible(true)
    await vi.advanceTimersByTimeAsync(999)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
  })
})

describe('the page goes away', () => {
  test('race 24: unmounted while working: no cancel, no timer, and whoever looks again reads first', async () => {
    const run = createRun()
    await fireTask(run)
    run.unwatch()
    await settle()
    expect(run.view()).toMatchObject({ phase: 'working', detachedBecause: 'unmounted', isStale: true })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(vi.getTimerCount()).toBe(0)
    run.runner.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/get'])
  })

  test('left while it backs off: once a read succeeds again it is up to date, although nothing has changed', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(snapshot())
    await (await nextRead(run)).fail(trouble.busy)
    expect(run.view().isStale).toBe(true)
    run.unwatch()
    await settle()
    // By then nobody remembers the failure but the run.
    await vi.advanceTimersByTimeAsync(600_000)
    run.runner.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
    expect(run.view()).toMatchObject({ detachedBecause: null, isStale: true })
    await run.connection.last('tasks/get').answer(snapshot())
    expect(run.view()).toMatchObject({ phase: 'working', isStale: false })
  })

  test('race 24: another page goes on from the reference: its first message is a read', async () => {
    const before = createRun()
    await fireTask(before, { ttlMs: 90_000 })
    const reference = JSON.parse(JSON.stringify(before.runner.reference))
    expect(reference).toMatchObject({ version: 1, taskId: 'tk-1', protocol: 'extension', tool: 'tile_city' })
    before.runner.dispose()
    expect(vi.getTimerCount()).toBe(0)
    expect(before.connection.listeners).toBe(0)
    const after = createRun({}, createFakeConnection())
    ignore(after.runner.resume(reference))
    await settle()
    expect(after.connection.wire).toEqual(['tasks/get'])
    await after.connection.last('tasks/get').answer(completed())
    expect(after.view()).toMatchObject({ phase: 'completed', result: { data: '60 tiles' } })
    expect(before.connection.wire).toEqual(['tools/call'])
  })

  test('race 24: a pending result() counts as somebody who looks', async () => {
    const run = createRun()
    await fireTask(run)
    const result = run.runner.result()
    run.unwatch()
    await settle()
    expect(run.view().detachedBecause).toBeNull()
    await (await nextRead(run)).answer(completed())
    expect((await result).data).toBe('60 tiles')
  })

  test('race 25: unmounted in the tick of the cancel: the request has left, and is not taken back', async () => {
    const run = createRun()
    await fireTask(run)
    const request = cancel(run)
    run.unwatch()
    await settle()
    expect(request.options.signal?.aborted).not.toBe(true)
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true })
  })

  test.each(['unmounted', 'disposed'])(
    'race 25: %s before the id is known: the cancel is sent with it',
    async (how) => {
      const run = createRun()
      const call = fire(run)
      ignore(run.runner.cancel())
      if (how === 'unmounted') run.unwatch()
      else run.runner.dispose()
      await settle()
      expect(run.connection.wire).toEqual(['tools/call'])
      await call.answer(handle())
      expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
      expect(run.connection.last('tasks/cancel').params).toEqual({ taskId: 'tk-1' })
      await run.connection.last('tasks/cancel').answer({})
      expect(vi.getTimerCount()).toBe(0)
      expect(run.orphans).toEqual([])
    },
  )

  test('race 25: unmounted while the cancel waits for its second try: it is still tried', async () => {
    const run = createRun()
    await fireTask(run)
    await cancel(run).fail(trouble.busy)
    run.unwatch()
    await vi.advanceTimersByTimeAsync(250)
    expect(run.connection.count('tasks/cancel')).toBe(2)
  })
})
