import { createTaskRunner, plain } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { endProcesses, mainFile, startProcess } from '../server/support/server-process.ts'
import { connect, disconnectAll, run, viewWhere } from './support.ts'

let url: URL
const clients: Client[] = []
beforeAll(async () => {
  url = new URL((await startProcess()).url)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})
afterAll(async () => {
  await disconnectAll()
  await endProcesses()
})

async function connectV1(transport: 'http' | 'stdio') {
  const client = new Client({ name: 'end-to-end', version: '1.0.0' })
  // The SDK's own classes disagree about optional members under exactOptionalPropertyTypes.
  const made =
    transport === 'http'
      ? new StreamableHTTPClientTransport(url)
      : new StdioClientTransport({ command: process.execPath, args: [mainFile(), 'stdio'], stderr: 'ignore' })
  await client.connect(made as never)
  clients.push(client)
  return client
}

test.each(['http', 'stdio'] as const)(
  'a client of SDK 1.x makes a plain call with real progress, over %s',
  async (transport) => {
    const connection = fromClient(await connectV1(transport))
    const runner = createTaskRunner({ connection, tool: 'start_research', protocol: plain() })
    const percents: (number | null)[] = []
    runner.subscribe(() => percents.push(runner.getSnapshot().progress?.percent ?? null))
    const handle = await runner.fire({ query: 'tides', seconds: 1, sections: 3 })
    expect(handle.task).toEqual({ taskId: null, status: 'completed' })
    expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', result: { data: { query: 'tides' } } })
    const known = percents.filter((percent) => percent !== null)
    expect(known.length).toBeGreaterThan(1)
    expect(known).toEqual(known.toSorted((a, b) => a - b))
    runner.dispose()
  },
)

test('a plain call can be asked for where tasks exist, and cancelling it proves nothing', async () => {
  const runner = run(await connect(url), 'start_research', { protocol: plain() })
  const fired = runner.fire({ query: 'tides', seconds: 600 })
  fired.catch(() => {})
  await viewWhere(runner, ({ phase }) => phase === 'submitting')
  await runner.cancel()
  await expect(fired).rejects.toMatchObject({ kind: 'cancelled' })
  expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: false })
  runner.dispose()
})

test('a plain call of a 2026-07-28 client is answered outright, since it does not say that it could follow a task', async () => {
  const runner = run(await connect(url), 'start_research', { protocol: plain() })
  const handle = await runner.fire({ query: 'tides', seconds: 1 })
  expect(handle.task).toEqual({ taskId: null, status: 'completed' })
  expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', result: { data: { query: 'tides' } } })
  runner.dispose()
})
