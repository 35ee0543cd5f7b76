import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  accepted,
  completed,
  createFakeConnection,
  elicitation,
  handle,
  settle,
  snapshot,
  toolResult,
} from '../support/fake-connection.ts'
import { ignore, realTick, startRun, startTask } from '../support/hostile.ts'

const bad = () => {
  throw new Error('a fault of the caller')
}

/** A fault of the caller is reported like one in an event listener: as an uncaught error, beside the run. */
const faults: unknown[] = []
const note = (error: unknown) => void faults.push(error)
let others: NodeJS.UncaughtExceptionListener[] = []
beforeEach(() => {
  vi.useFakeTimers()
  faults.length = 0
  others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', note)
})
afterEach(async () => {
  await realTick()
  process.off('uncaughtException', note)
  for (const other of others) process.on('uncaughtException', other)
  vi.useRealTimers()
  for (const fault of faults) expect(fault).toMatchObject({ message: 'a fault of the caller' })
})

const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('callbacks of the caller that throw', () => {
  test('a listener: the other listeners are told, and the run goes on', async () => {
    const run = startRun()
    run.runner.subscribe(bad)
    const seen: string[] = []
    run.runner.subscribe(() => void seen.push(run.view().phase))
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(handle())
    await advance(1000)
    await run.connection.last('tasks/get').answer(completed())
    await advance(0)
    expect(seen).toEqual(['submitting', 'working', 'completed'])
    run.runner.dispose()
  })

  test('`onSettled`: the view and `result()` say the outcome all the same', async () => {
    const run = await startTask(handle(), { onSettled: bad })
    const result = run.runner.result()
    await advance(1000)
    await run.connection.last('tasks/get').answer(completed())
    await advance(0)
    expect(run.view().phase).toBe('completed')
    expect((await result).data).toBe('60 tiles')
    ignore(run.runner.fire())
    expect(run.view().phase).toBe('submitting')
    run.runner.dispose()
  })

  test('`onOrphan`: the next run begins all the same', async () => {
    const run = await startTask(handle(), { onOrphan: bad })
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(toolResult('second'))
    await advance(0)
    expect(run.connection.count('tools/call')).toBe(2)
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: 'second' } })
    run.runner.dispose()
  })

  test('`inspect`: the run goes on', async () => {
    const run = await startTask(handle(), { inspect: bad })
    await advance(1000)
    await run.connection.last('tasks/get').answer(completed())
    expect(run.view().phase).toBe('completed')
    run.runner.dispose()
  })

  test.each([
    ['throws', bad],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['gives nothing', () => Promise.resolve(undefined as never)],
    ['gives no object', () => Promise.resolve('yes' as never)],
  ])('`onInputRequired` %s: the prompt stays open, and nothing is sent', async (_, onInputRequired) => {
    const run = await startTask(handle(), { onInputRequired })
    await advance(1000)
    await run.connection
      .last('tasks/get')
      .answer(snapshot('input_required', { inputRequests: { overwrite: elicitation() } }))
    await settle()
    expect(run.view()).toMatchObject({ phase: 'input_required', canRespond: true, error: { kind: 'input-required' } })
    expect(run.connection.count('tasks/update')).toBe(0)
    ignore(run.runner.respond({ overwrite: accepted }))
    expect(run.connection.count('tasks/update')).toBe(1)
    run.runner.dispose()
  })

  test('a schema that throws, rejects or answers nonsense: the output is malformed', async () => {
    for (const validate of [bad, () => Promise.reject(new Error('no')), () => undefined, () => 7]) {
      const output = { '~standard': { version: 1, vendor: 'test', validate } } as const
      const run = await startTask(toolResult(), { output })
      expect(run.view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
      run.runner.dispose()
    }
  })
})

describe('callbacks of the caller that act', () => {
  test('reset() in a listener, when the run has ended, also lets the queue go', async () => {
    const run = startRun({ whenBusy: 'queue' })
    ignore(run.runner.fire({ n: 1 }))
    ignore(run.runner.fire({ n: 2 }))
    run.runner.subscribe(() => void (run.view().isTerminal && run.runner.reset()))
    await run.connection.last('tools/call').answer(toolResult())
    await advance(1000)
    expect(run.view().phase).toBe('idle')
    expect(run.connection.count('tools/call')).toBe(1)
    run.runner.dispose()
  })

  test('dispose() in a listener, when the run has ended: the queue is let go without a word', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const run = startRun({ whenBusy: 'queue' })
    ignore(run.runner.fire({ n: 1 }))
    ignore(run.runner.fire({ n: 2 }))
    run.runner.subscribe(() => void (run.view().isTerminal && run.runner.dispose()))
    await run.connection.last('tools/call').answer(toolResult())
    await advance(1000)
    expect(run.connection.count('tools/call')).toBe(1)
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  test('fire() in `onSettled` with a queue: every call is made once', async () => {
    const connection = createFakeConnection()
    let again = true
    const run = startRun(
      {
        whenBusy: 'queue',
        onSettled: () => {
          if (!again) return
          again = false
          ignore(run.runner.fire({ n: 3 }))
        },
      },
      connection,
    )
    connection.on('tools/call', () => toolResult())
    ignore(run.runner.fire({ n: 1 }))
    ignore(run.runner.fire({ n: 2 }))
    await advance(1000)
    expect(connection.sent.map(({ params }) => (params['arguments'] as { n: number }).n).toSorted()).toEqual([1, 2, 3])
    run.runner.dispose()
  })

  test('a listener that unsubscribes everyone while they are told is no trouble', async () => {
    const run = startRun()
    const stops = Array.from({ length: 3 }, () => run.runner.subscribe(() => stops.forEach((stop) => stop())))
    ignore(run.runner.fire())
    await run.connection.last('tools/call').answer(toolResult())
    expect(run.view().phase).toBe('completed')
    run.runner.dispose()
  })
})
