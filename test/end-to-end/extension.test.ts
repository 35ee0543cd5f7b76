import { TaskError, type Phase, type TaskRunner } from '@mcp-task-machine/core'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endProcesses, startProcess } from '../server/support/server-process.ts'
import { connect, disconnectAll, run, viewWhere } from './support.ts'

const settings = { POLL_INTERVAL_MS: '50' }
let url: URL

beforeAll(async () => {
  url = new URL((await startProcess(['--fixtures'], settings)).url)
})
afterAll(async () => {
  await disconnectAll()
  await endProcesses()
})

/** Every phase that a subscriber was shown, without repetitions. */
function phases(runner: TaskRunner): Phase[] {
  const seen: Phase[] = []
  runner.subscribe(() => {
    const { phase } = runner.getSnapshot()
    if (seen.at(-1) !== phase) seen.push(phase)
  })
  return seen
}

describe.each(['http', 'stdio'] as const)('tasks of 2026-07-28 over %s', (transport) => {
  let connected: Promise<Client> | undefined
  const client = () => (connected ??= transport === 'http' ? connect(url) : connect('stdio', ['--fixtures']))

  test('a long call runs to its end, with what the server says on the way', async () => {
    const runner = run(await client(), 'start_research')
    const seen = phases(runner)
    const messages = new Set<string | null | undefined>()
    runner.subscribe(() => messages.add(runner.getSnapshot().progress?.message))
    const handle = await runner.fire({ query: 'tides', seconds: 1, sections: 4 })
    expect(handle.task).toMatchObject({ status: 'working', taskId: expect.any(String) })
    const result = await runner.result()
    expect(result).toMatchObject({ isError: false, data: { query: 'tides', sections: 4 } })
    expect(seen).toEqual(['submitting', 'working', 'completed'])
    expect(messages).toContain('Writing the report')
    runner.dispose()
  })

  test('a small call is answered outright: the same path, a finished task without an id', async () => {
    const runner = run(await client(), 'start_research')
    const handle = await runner.fire({ query: 'tides', seconds: 0 })
    expect(handle.task).toEqual({ taskId: null, status: 'completed' })
    expect(await handle.result()).toMatchObject({ data: { query: 'tides' } })
    runner.dispose()
  })

  test('two prompts are asked once each, answered, and the result shows the answers', async () => {
    const runner = run(await client(), 'book_trip')
    const seen = phases(runner)
    await runner.fire({ destination: 'Turku', seconds: 0.2 })
    const first = await viewWhere(runner, ({ inputRequests }) => 'trip' in inputRequests)
    expect(first).toMatchObject({
      phase: 'input_required',
      canRespond: true,
      inputRequests: { trip: { kind: 'elicitation' } },
    })
    await runner.respond({ trip: { action: 'accept', content: { flight: 'late', email: 'ada@example.com' } } })
    await viewWhere(runner, ({ inputRequests }) => 'payment' in inputRequests)
    await runner.respond({ payment: { action: 'accept', content: { confirm: true } } })
    expect(await runner.result()).toMatchObject({ data: { destination: 'Turku', flight: 'late' } })
    expect(seen.filter((phase) => phase === 'input_required')).toHaveLength(2)
    runner.dispose()
  })

  test('a prompt before the task is answered by sending the call again', async () => {
    const runner = run(await client(), 'test_tool_with_task', {
      onInputRequired: () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }),
    })
    await runner.fire({})
    expect(JSON.stringify((await runner.result()).content)).toContain('Ada')
    runner.dispose()
  })

  test('a cancelled call ends as cancelled only when the server says so', async () => {
    const runner = run(await client(), 'start_research')
    const seen = phases(runner)
    await runner.fire({ query: 'tides', seconds: 600 })
    await viewWhere(runner, ({ progress }) => progress?.message === 'Searching sources')
    await runner.cancel()
    await expect(runner.result()).rejects.toMatchObject({ kind: 'cancelled' })
    expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true, cancelRequested: true })
    expect(seen).toEqual(['submitting', 'working', 'cancelling', 'cancelled'])
    runner.dispose()
  })

  test('a tool that fails says so itself; work that fails carries the code of its error', async () => {
    const tool = run(await client(), 'import_contacts')
    await tool.fire({ seconds: 0.1 })
    await expect(tool.result()).rejects.toMatchObject({ kind: 'tool' })
    expect(tool.getSnapshot()).toMatchObject({
      phase: 'failed',
      result: { isError: true },
      task: { status: 'completed' },
    })
    tool.dispose()
    const work = run(await client(), 'sync_calendar')
    await work.fire({ seconds: 0.1 })
    const error = await work.result().catch((reason: unknown) => reason)
    expect(TaskError.is(error) && error).toMatchObject({ kind: 'protocol', code: expect.any(Number) })
    work.dispose()
  })

  test('bad arguments and unknown tools fail the call itself', async () => {
    const wrong = run(await client(), 'start_research')
    await expect(wrong.fire({ query: 7 })).rejects.toMatchObject({ kind: 'protocol', code: -32602 })
    expect(wrong.getSnapshot()).toMatchObject({ phase: 'failed', task: null, canRetry: true })
    const unknown = run(await client(), 'no_such_tool')
    await expect(unknown.fire({})).rejects.toMatchObject({ kind: 'protocol', code: -32602 })
    wrong.dispose()
    unknown.dispose()
  })
})

test('another process goes on from a reference, without calling the tool', async () => {
  const first = run(await connect(url), 'start_research')
  await first.fire({ query: 'winds', seconds: 1, sections: 4 })
  const reference = JSON.parse(JSON.stringify(first.reference))
  first.dispose()
  const second = run(await connect(url), 'start_research')
  await second.resume(reference)
  expect(await second.result()).toMatchObject({ data: { query: 'winds', interruptions: 0 } })
  second.dispose()
})

test('an id the server does not know ends as expired', async () => {
  const runner = run(await connect(url), 'start_research')
  const { endpoint, protocol, tool, version } = await (async () => {
    await runner.fire({ query: 'winds', seconds: 600 })
    return runner.reset()!
  })()
  await runner.resume({ version, protocol, endpoint, tool, taskId: '00000000-0000-4000-8000-000000000000' })
  expect(runner.getSnapshot()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } })
  runner.dispose()
})
