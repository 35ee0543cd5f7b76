import { Client, StreamableHTTPClientTransport, type Progress } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'
import { mainFile } from './support/server-process.ts'
import { createTask, type Json } from './support/wire.ts'

const anything = z.looseObject({})

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: true, workers: 1 })
})
afterAll(() => server.close())

async function connect(transport: 'http' | 'stdio', mode: 'auto' | 'legacy' = 'auto', extensions = {}) {
  const client = new Client(
    { name: 'server-test', version: '0.0.0' },
    { capabilities: { elicitation: { form: {} }, extensions }, versionNegotiation: { mode } },
  )
  const env = { ...process.env, FIXTURES: '1', WORKERS: '1', DATABASE_URL: '', DATA_DIR: '' } as Record<string, string>
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(server.url))
      : new StdioClientTransport({ command: process.execPath, args: [mainFile(), 'stdio'], env, stderr: 'ignore' }),
  )
  return client
}

describe.each([
  ['http', 'auto'],
  ['http', 'legacy'],
  ['stdio', 'auto'],
  ['stdio', 'legacy'],
] as const)("a plain call by the SDK's client over %s (%s)", (transport, mode) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(transport, mode)
  })
  afterAll(() => client.close())

  test('stays open, with progress, until the work is done', async () => {
    const progress: Progress[] = []
    const result = await client.callTool(
      { name: 'start_research', arguments: { query: 'tea', seconds: 1, sections: 2 } },
      { onprogress: (step) => progress.push(step) },
    )
    expect(result.structuredContent).toMatchObject({ sections: 2 })
    expect(progress.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^Reading . of 2$/))
    const values = progress.map((step) => step.progress)
    expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
  })

  test('tells both kinds of failure apart', async () => {
    expect(await client.callTool({ name: 'import_contacts', arguments: { seconds: 0 } })).toMatchObject({
      isError: true,
    })
    const broken = client.callTool({ name: 'sync_calendar', arguments: { seconds: 0 } })
    await expect(broken).rejects.toMatchObject({ code: -32603, data: { upstream: 502 } })
  })

  test('asks its questions through the client', async () => {
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      const content = asked.length === 1 ? { flight: 'noon', email: 'a@b.example' } : { confirm: true }
      return { action: 'accept' as const, content }
    })
    const call = client.callTool({ name: 'book_trip', arguments: { destination: 'Oslo', seconds: 0 } })
    expect(JSON.stringify((await call).content)).toContain('Booked: 12:35')
    expect(asked).toHaveLength(2)
  })

  test('ends the work when the caller hangs up', async () => {
    const caller = new AbortController()
    const call = client.callTool(
      { name: 'start_research', arguments: { query: 'tea', seconds: 600, sections: 1 } },
      { signal: caller.signal, onprogress: () => caller.abort() },
    )
    await expect(call).rejects.toBeInstanceOf(Error)
    // There is one worker: this is served only once the work that nobody waits for has ended.
    expect(await client.callTool({ name: 'import_contacts', arguments: { seconds: 0 } })).toMatchObject({
      isError: true,
    })
  })
})

test("the SDK's client reads, answers and hears a task", async () => {
  // It throws the handle of a task away, so the call itself is made without it.
  const taskId = await createTask(httpWire(server.url), 'book_trip', { destination: 'Oslo', seconds: 0 })
  const client = await connect('http', 'auto', { 'io.modelcontextprotocol/tasks': {} })
  const ask = (method: string, params: object = {}) =>
    client.request({ method, params: { taskId, ...params } }, anything)
  const pushes: Json[] = []
  const done = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tasks', { params: anything }, (params) => {
      pushes.push(params)
      if (params['status'] === 'input_required')
        void ask('tasks/update', { inputResponses: { trip: { action: 'decline' } } })
      if (params['status'] === 'completed') resolve()
    })
  })
  await client.listen({ taskIds: [taskId] } as never)
  await done
  expect(pushes.map(({ status }) => status)).toContain('input_required')
  expect(await ask('tasks/get')).toMatchObject({ taskId, status: 'completed' })
  expect(await ask('tasks/cancel')).toMatchObject({})
  await client.close()
})
