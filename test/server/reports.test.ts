import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ended, follow, reach, startReport, WAYS, type Caller } from './support/jobs.ts'
import type { Json } from './support/wire.ts'

const UNKNOWN = '7d9f0c5e-0000-4000-8000-000000000000'
const APP_TOOLS = ['get_report_status', 'cancel_report', 'retry_report', 'get_report_result']
const FIELDS = [
  'attempt',
  'canCancel',
  'canRetry',
  'jobId',
  'percent',
  'phase',
  'startedAt',
  'status',
  'summary',
  'updatedAt',
]

describe.each(WAYS)('report jobs over %s, MCP %s', (transport, generation) => {
  let server: Awaited<ReturnType<typeof reach>>
  let call: Caller['call']
  /** The id of a task, which the older generation has to ask for. */
  const taskOf = async (name: string, args: Json) => {
    const answer = await server.request('tools/call', { name, arguments: args, task: {} })
    return answer['taskId'] ?? answer['task'].taskId
  }
  beforeAll(async () => {
    server = await reach([transport, generation] as (typeof WAYS)[number])
    call = server.call
  })
  afterAll(() => server?.leave())

  test('are five plain tools, of which the model sees one', async () => {
    const { tools } = await server.request('tools/list')
    const listed = new Map<string, Json>(tools.map((tool: Json) => [tool['name'], tool]))
    for (const name of APP_TOOLS) expect(listed.get(name)).toMatchObject({ _meta: { ui: { visibility: ['app'] } } })
    for (const name of [...APP_TOOLS, 'start_report']) expect(listed.get(name)).not.toHaveProperty('execution')
    expect(listed.get('start_report')).toMatchObject({
      annotations: { idempotentHint: true },
      _meta: {
        ui: { resourceUri: 'ui://mcp-task-machine/run.html', visibility: ['model', 'app'] },
        retryPolicy: {
          maxAttempts: 3,
          backoff: 'exponential',
          baseDelayMs: 1000,
          retryOn: ['transient_error', 'timeout'],
          noRetryOn: ['query_refused'],
        },
      },
    })
    expect(listed.get('get_report_status')).toMatchObject({ annotations: { readOnlyHint: true } })
    expect(listed.get('book_part')).not.toHaveProperty('_meta')
  })

  test('are answered at once and go on by themselves to the result', async () => {
    const started = await call('start_report', { query: 'tea', seconds: 1.5, sections: 4 })
    expect(started).not.toHaveProperty('task')
    expect(started['resultType']).toBe(generation === '2026-07-28' ? 'complete' : undefined)
    const { jobId, startedAt } = started['structuredContent']
    expect(Object.keys(started['structuredContent']).toSorted()).toEqual(FIELDS)
    expect(started['structuredContent']).toMatchObject({ status: 'queued', percent: null, attempt: 1, canCancel: true })
    expect(started['content'][0].text).toContain(`Started report job ${jobId}.`)

    const seen = await follow(server, jobId, (job) => job['status'] === 'succeeded')
    const running = seen.filter((job) => job['status'] === 'running')
    const percents = running.map(({ percent }) => percent).filter((percent) => percent !== null)
    expect(percents.length).toBeGreaterThanOrEqual(1)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
    for (const job of running) {
      expect(job).toMatchObject({ canCancel: true, canRetry: false, startedAt })
      expect(job['percent'] !== null).toBe(/^(Reading . of 4|Writing the report)$/.test(job['phase']))
    }
    const stamps = seen.map(({ updatedAt }) => updatedAt)
    expect(stamps).toEqual(stamps.toSorted())

    const last = seen.at(-1)!
    expect(last).toMatchObject({ percent: 100, phase: 'Done', canCancel: false, canRetry: false })
    expect(last['result']).toEqual({ title: 'Report: tea', artifactId: expect.any(String) })
    const uri = `report://${last['result'].artifactId}`
    const { contents } = await server.request('resources/read', { uri })
    expect(contents[0].text).toContain('## Source 4')
    const result = await call('get_report_result', { jobId })
    expect(result).not.toHaveProperty('isError')
    expect(result['structuredContent']).toEqual(last)
    const link = result['content'].find(({ type }: Json) => type === 'resource_link')
    expect(link).toMatchObject({ uri, name: 'Report: tea', size: Buffer.byteLength(contents[0].text) })
  })

  test('are tasks under the same id, and a task that writes a report is such a job', async () => {
    const jobId = await startReport(server, { seconds: 60 })
    expect(await server.request('tasks/get', { taskId: jobId })).toMatchObject({ taskId: jobId, status: 'working' })
    await server.request('tasks/cancel', { taskId: jobId })
    expect(await ended(server, jobId)).toMatchObject({ status: 'cancelled', canRetry: true })

    const taskId = await taskOf('start_research', { query: 'tides', seconds: 0.5, sections: 2 })
    const seen = await follow(server, taskId, (job) => job['status'] === 'succeeded')
    expect(seen.at(-1)).toMatchObject({ jobId: taskId, result: { title: 'Report: tides' } })
    expect(await server.request('tasks/get', { taskId })).toMatchObject({ status: 'completed' })
  })

  test('that are running are asked to stop, and have stopped only once they say so', async () => {
    const jobId = await startReport(server, { seconds: 60, stopSeconds: 1 })
    const running = await follow(server, jobId, ({ phase }) => phase === 'Searching sources')
    expect(running.at(-1)).toMatchObject({ status: 'running', percent: null, canCancel: true })
    const asked = (await call('cancel_report', { jobId }))['structuredContent']
    expect(asked).toMatchObject({ status: 'cancel_requested', phase: 'Stopping', canCancel: false, canRetry: false })
    expect(asked.summary).toContain('was asked to stop, and has not stopped yet')
    const again = await call('cancel_report', { jobId })
    expect(again).not.toHaveProperty('isError')
    expect(again['structuredContent'].updatedAt).toBe(asked.updatedAt)

    const stopped = await ended(server, jobId)
    expect(stopped).toMatchObject({ status: 'cancelled', canCancel: false, canRetry: true })
    expect(stopped['summary']).toContain('was cancelled')
    expect((await call('cancel_report', { jobId }))['structuredContent']).toEqual(stopped)
    expect(await server.request('tasks/get', { taskId: jobId })).toMatchObject({ status: 'cancelled' })
  })

  test('that have finished stay as they are when they are cancelled', async () => {
    const jobId = await startReport(server, { seconds: 0 })
    const done = await ended(server, jobId)
    expect(done).toMatchObject({ status: 'succeeded' })
    const answer = await call('cancel_report', { jobId })
    expect(answer).not.toHaveProperty('isError')
    expect(answer['structuredContent']).toEqual(done)
  })

  test('have no result before they are done, and say so', async () => {
    const jobId = await startReport(server, { seconds: 60 })
    const answer = await call('get_report_result', { jobId })
    expect(answer).toMatchObject({ isError: true, structuredContent: { jobId } })
    expect(answer['content'][0].text).toMatch(/^There is no report\. /)
    await call('cancel_report', { jobId })
  })

  test.each(APP_TOOLS)('that are unknown, or no reports, are an error result of %s with a sentence', async (name) => {
    const noReport = await taskOf('slow_compute', { seconds: 0.01 })
    for (const jobId of [UNKNOWN, '%', noReport]) {
      const answer = await call(name, { jobId })
      expect(answer).toMatchObject({ isError: true, content: [{ type: 'text' }] })
      expect(answer['content'][0].text).toMatch(/^There is no report job with this id/)
      expect(answer).not.toHaveProperty('structuredContent')
    }
    await expect(call(name, {})).rejects.toMatchObject({ code: -32602 })
  })

  test('keep their log and their trace id out of what a model sees', async () => {
    const jobId = await startReport(server, { seconds: 0.3, sections: 60 })
    await ended(server, jobId)
    const answer = await call('get_report_status', { jobId })
    const { logTail, traceId } = answer['_meta']
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(logTail).toHaveLength(50)
    expect(logTail.at(-1)).toMatch(/^\d{4}-.+Z Done$/)
    expect(logTail.at(-2)).toMatch(/ Writing the report$/)
    const seen = JSON.stringify([answer['content'], answer['structuredContent']])
    expect(seen).not.toContain(traceId)
    expect(seen).not.toContain('Reading')
    expect(seen).not.toContain('report://')
  })

  test('are shared by calls with one idempotency key', async () => {
    const byArgument = { query: 'tea', seconds: 60, idempotencyKey: 'a' }
    const first = await call('start_report', byArgument)
    const second = await call('start_report', byArgument)
    expect(second['structuredContent'].jobId).toBe(first['structuredContent'].jobId)
    expect(second['content'][0].text).toContain('Had started')
    const other = await call('start_report', { query: 'tea', seconds: 60 }, { idempotencyKey: 'b' })
    expect(other['structuredContent'].jobId).not.toBe(first['structuredContent'].jobId)
    await expect(call('start_report', { query: 'coffee', idempotencyKey: 'a' })).rejects.toMatchObject({ code: -32602 })
    for (const { structuredContent } of [first, other]) await call('cancel_report', { jobId: structuredContent.jobId })
  })
})
