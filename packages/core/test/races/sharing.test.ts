import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { accepted, completed, createFakeConnection, elicitation, snapshot } from '../support/fake-connection.ts'
import { createRun, fireTask, ignore, nextRead, trouble } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const asking = () => snapshot('input_required', { inputRequests: { overwrite: elicitation() }, statusMessage: 'Hm' })
const asks = {
  phase: 'input_required',
  canRespond: true,
  inputRequests: { overwrite: {} },
  progress: { message: 'Hm' },
}

describe('one task, followed more than once over one connection', () => {
  test('two runs share one read, and both are told the end', async () => {
    const connection = createFakeConnection()
    const [first, second] = [createRun({}, connection), createRun({}, connection)]
    await fireTask(first)
    ignore(second.runner.resume(first.runner.reference!))
    expect(connection.count('tasks/get')).toBe(1)
    await connection.last('tasks/get').answer(completed())
    expect([first.view().phase, second.view().phase]).toEqual(['completed', 'completed'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a second run is told what the first one knows, also when its own read says nothing new', async () => {
    const connection = createFakeConnection()
    const [first, second] = [createRun({}, connection), createRun({}, connection)]
    await fireTask(first)
    await (await nextRead(first)).answer(asking())
    ignore(second.runner.resume(first.runner.reference!))
    await connection.last('tasks/get').answer(asking())
    expect(first.view()).toMatchObject(asks)
    expect(second.view()).toMatchObject(asks)
  })

  test('reset and resumed at once: the run is told everything anew', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(asking())
    ignore(run.runner.resume(run.runner.reset()!))
    await run.connection.last('tasks/get').answer(asking())
    expect(run.view()).toMatchObject(asks)
  })

  test('expired with an open prompt, then looked at again: the prompt can be answered', async () => {
    const run = createRun()
    await fireTask(run)
    await (await nextRead(run)).answer(asking())
    await (await nextRead(run)).fail(trouble.gone)
    ignore(run.runner.resume())
    expect(run.view()).toMatchObject({ phase: 'working', canRespond: false, inputRequests: {} })
    await run.connection.last('tasks/get').answer(asking())
    expect(run.view()).toMatchObject(asks)
    ignore(run.runner.respond({ overwrite: accepted }))
    expect(run.connection.last('tasks/update').params).toMatchObject({ inputResponses: { overwrite: accepted } })
  })

  test('resting and going on again and again never reads earlier than the server allows', async () => {
    const connection = createFakeConnection()
    const run = createRun({}, connection)
    await fireTask(run)
    for (let n = 0; n < 9; n++) {
      await vi.advanceTimersByTimeAsync(100)
      run.unwatch()
      await vi.advanceTimersByTimeAsync(5)
      run.runner.subscribe(() => {})()
    }
    expect(connection.count('tasks/get')).toBe(0)
  })
})
