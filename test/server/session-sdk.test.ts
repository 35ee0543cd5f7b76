import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { mainFile } from './support/server-process.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: true, pollIntervalMs: 100 })
})
afterAll(() => server.close())

describe.each(['http', 'stdio'] as const)('the client of SDK 1.x over %s', (transport) => {
  const client = new Client({ name: 'server-test', version: '0.0.0' }, { capabilities: { elicitation: { form: {} } } })
  const asked: string[] = []
  const pushed: string[] = []
  const progress: number[] = []
  beforeAll(async () => {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message)
      return {
        action: 'accept',
        content: asked.length === 1 ? { flight: 'noon', email: 'a@b.example' } : { confirm: true },
      }
    })
    client.setNotificationHandler(
      TaskStatusNotificationSchema,
      ({ params }) => void pushed.push(`${params.taskId} ${params.status}`),
    )
    const env = { ...process.env, FIXTURES: '1', POLL_INTERVAL_MS: '100', DATABASE_URL: '', DATA_DIR: '' }
    // The SDK's own classes disagree about optional members under exactOptionalPropertyTypes.
    const made =
      transport === 'http'
        ? new StreamableHTTPClientTransport(new URL(server.url))
        : new StdioClientTransport({
            command: process.execPath,
            args: [mainFile(), 'stdio'],
            env: env as Record<string, string>,
            stderr: 'ignore',
          })
    await client.connect(made as never)
    // Its helpers look up there which tools can be tasks.
    await client.listTools()
  })
  afterAll(() => client.close())

  test('drives a task from the handle to the result, with its own helper, and answers its questions', async () => {
    const steps: string[] = []
    const call = { name: 'book_trip', arguments: { destination: 'Oslo', seconds: 0.2 } }
    for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema, { task: {} })) {
      steps.push(message.type)
      if (message.type === 'error') throw message.error
      if (message.type === 'result') expect(JSON.stringify(message.result)).toContain('Booked: 12:35')
    }
    expect(steps[0]).toBe('taskCreated')
    expect(steps.at(-1)).toBe('result')
    expect(asked).toEqual(['Which flight to Oslo?', expect.stringContaining('Book 12:35')])
  })

  test('creates, lists, reads and cancels tasks with schemas of its own, and hears of them', async () => {
    const params = { name: 'start_research', arguments: { query: 'tea', seconds: 600 }, task: { ttl: 60_000 } }
    const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema, {
      onprogress: (step) => progress.push(step.progress),
    })
    const { taskId } = task
    expect(task).toMatchObject({ status: 'working', ttl: 60_000 })
    const { tasks } = await client.experimental.tasks.listTasks()
    expect(tasks.map((listed) => listed.taskId)).toContain(taskId)
    expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ taskId, status: 'working' })
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' })
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 })
    await expect.poll(() => pushed, { timeout: 30_000 }).toContain(`${taskId} cancelled`)
  })

  test('hears progress after the handle', async () => {
    progress.length = 0
    const params = { name: 'start_research', arguments: { query: 'tea', seconds: 1, sections: 3 }, task: {} }
    const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema, {
      onprogress: (step) => progress.push(step.progress),
    })
    const atHandle = progress.length
    const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema)
    expect(result).toMatchObject({ structuredContent: { sections: 3 } })
    expect(progress.length).toBeGreaterThan(atHandle)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  })

  test('gets the result of a tool that failed, and the error of a call that did', async () => {
    const make = async (name: string) => {
      const params = { name, arguments: { seconds: 0 }, task: {} }
      return (await client.request({ method: 'tools/call', params }, CreateTaskResultSchema)).task.taskId
    }
    const failed = await client.experimental.tasks.getTaskResult(await make('import_contacts'), CallToolResultSchema)
    expect(failed).toMatchObject({ isError: true })
    const broken = client.experimental.tasks.getTaskResult(await make('sync_calendar'), CallToolResultSchema)
    await expect(broken).rejects.toMatchObject({ code: -32603, data: { upstream: 502 } })
  })
})
