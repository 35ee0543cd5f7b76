import { describe, expect, test, vi } from 'vitest'
import { accepted, elicitation, handle, toolResult } from '../support/fake-connection.ts'
import { containedTests, expectClear, expectGone, ignore, startRun, startTask } from '../support/hostile.ts'

containedTests()

const hour = 3_600_000
const asks = { resultType: 'input_required', inputRequests: { style: elicitation() }, requestState: 'qq' }
const sheds = { resultType: 'input_required', requestState: 'qq' }

describe('a call that is never content', () => {
  test('it asks for ever without a prompt: after a few slower and slower rounds the run has failed', async () => {
    const run = startRun()
    run.connection.on('tools/call', () => sheds)
    ignore(run.runner.fire())
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol' } })
    expect(run.connection.count('tools/call')).toBeLessThanOrEqual(11)
    const gaps = run.connection.sent.map(({ at }, nth) => at - (run.connection.sent[nth - 1]?.at ?? at)).slice(1)
    for (const [nth, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(gaps[nth - 1] ?? 250)
    expectClear(run)
    await expectGone(run)
  })

  test('it asks for ever, and a function answers: after a few rounds the run has failed', async () => {
    const onInputRequired = vi.fn(() => Promise.resolve(accepted))
    const run = startRun({ onInputRequired })
    run.connection.on('tools/call', () => asks)
    ignore(run.runner.fire())
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol' } })
    expect(run.connection.count('tools/call')).toBeLessThanOrEqual(11)
    expect(onInputRequired.mock.calls.length).toBeLessThanOrEqual(10)
    await expectGone(run)
  })

  test('it asks, and nobody answers: it waits, and sends nothing', async () => {
    const run = await startTask(asks)
    await vi.advanceTimersByTimeAsync(24 * hour)
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true })
    expect(run.connection.wire).toEqual(['tools/call'])
    ignore(run.runner.respond({ style: accepted }))
    expect(run.connection.last('tools/call').params).toMatchObject({
      inputResponses: { style: accepted },
      requestState: 'qq',
    })
    await run.connection.last('tools/call').answer(toolResult())
    expect(run.view().phase).toBe('completed')
    await expectGone(run)
  })

  test('it asks under the same key in the next round: the prompt is shown again', async () => {
    const run = await startTask(asks)
    ignore(run.runner.respond({ style: accepted }))
    await run.connection.last('tools/call').answer(asks)
    expect(Object.keys(run.view().inputRequests)).toEqual(['style'])
    await expectGone(run)
  })

  test('cancelled while it asks: nothing runs, and the call is not sent again', async () => {
    const run = await startTask(asks)
    await run.runner.cancel()
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    await expectGone(run)
  })

  test('cancelled while a lost call waits to be repeated: it is not repeated', async () => {
    const run = startRun({ idempotent: true, maxPollFailures: 5 })
    ignore(run.runner.fire())
    await run.connection.last('tools/call').fail({ message: 'socket hang up' })
    ignore(run.runner.cancel())
    await vi.advanceTimersByTimeAsync(hour)
    expect(run.connection.wire).toEqual(['tools/call'])
    expect(run.view()).toMatchObject({ cancelRequested: true })
    expectClear(run)
    await expectGone(run)
  })

  test('the call was lost, and its connection dies later: it is lost still, not failed', async () => {
    const run = startRun({ submitTimeout: 5000 })
    ignore(run.runner.fire())
    await vi.advanceTimersByTimeAsync(5000)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
    await run.connection.last('tools/call').fail({ reason: 'closed', message: 'The connection has closed.' })
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost', error: { kind: 'lost' } })
    await expectGone(run)
  })

  test('a cancel while the call is lost is remembered, and the view goes on to say that it is lost', async () => {
    const run = startRun({ submitTimeout: 5000 })
    ignore(run.runner.fire())
    await vi.advanceTimersByTimeAsync(5000)
    ignore(run.runner.cancel())
    expect(run.view()).toMatchObject({
      phase: 'detached',
      detachedBecause: 'lost',
      error: { kind: 'lost' },
      cancelRequested: true,
      canRetry: true,
    })
    await expect(run.runner.result()).rejects.toMatchObject({ kind: 'lost' })
    await run.connection.last('tools/call').answer(handle())
    expect(run.connection.wire).toEqual(['tools/call', 'tasks/cancel'])
    expect(run.view()).toMatchObject({ phase: 'cancelling' })
    await expectGone(run)
  })
})
