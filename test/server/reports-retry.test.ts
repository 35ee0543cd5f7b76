import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'
import { caller, ended, follow, reach, startReport, WAYS } from './support/jobs.ts'
import type { Json } from './support/wire.ts'

describe.each(WAYS)('a report job that went wrong, over %s, MCP %s', (transport, generation) => {
  let server: Awaited<ReturnType<typeof reach>>
  beforeAll(async () => {
    server = await reach([transport, generation] as (typeof WAYS)[number])
  })
  afterAll(() => server?.leave())
  const retry = (jobId: string) => server.call('retry_report', { jobId })

  test('is tried again as a new job that goes on where the old one stopped', async () => {
    const jobId = await startReport(server, { seconds: 0.5, sections: 8, fail: 'once' })
    const failed = await ended(server, jobId)
    expect(failed).toMatchObject({
      status: 'failed',
      phase: 'Failed',
      attempt: 1,
      canCancel: false,
      canRetry: true,
      error: { code: 'transient_error', message: 'A source hung up in the middle of a sentence.' },
    })
    expect(failed['percent']).toBe(50)
    expect(failed).not.toHaveProperty('result')

    const answer = await retry(jobId)
    expect(answer).not.toHaveProperty('isError')
    const { jobId: next } = answer['structuredContent']
    expect(next).not.toBe(jobId)
    expect(answer['structuredContent']).toMatchObject({ status: 'queued', percent: null, attempt: 2 })
    expect(answer['content'][0].text).toContain(`Report job ${next} is attempt 2.`)
    expect(await ended(server, next)).toMatchObject({ status: 'succeeded', attempt: 2 })
    const { logTail, traceId } = (await server.call('get_report_status', { jobId: next }))['_meta']
    const lines = logTail.map((line: string) => line.slice(line.indexOf(' ') + 1))
    // Source 5 was under way when the first attempt failed.
    expect(lines.slice(0, 2)).toEqual(['Waiting for a worker', 'Reading 5 of 8'])

    // What has ended stays as it was, in the words of tasks too.
    const old = await server.call('get_report_status', { jobId })
    expect(old['_meta'].traceId).toBe(traceId)
    expect(old['structuredContent']).toEqual({
      ...failed,
      canRetry: false,
      summary: expect.stringContaining('another job'),
    })
    expect(await server.request('tasks/get', { taskId: jobId })).toMatchObject({ status: 'failed' })
    const artifact = (await ended(server, next))['result'].artifactId
    const { contents } = await server.request('resources/read', { uri: `report://${artifact}` })
    expect(contents[0].text.match(/^## Source \d/gm)).toHaveLength(8)
  })

  test('is tried again once, however often that is asked for', async () => {
    const jobId = await startReport(server, { seconds: 0, fail: 'always' })
    await ended(server, jobId)
    const answers = await Promise.all([retry(jobId), retry(jobId), retry(jobId)])
    const [next, ...others] = new Set(answers.map(({ structuredContent }) => structuredContent.jobId))
    expect(others).toEqual([])
    expect(await ended(server, next)).toMatchObject({ status: 'failed', attempt: 2, canRetry: true })
    expect((await retry(jobId))['structuredContent']).toMatchObject({ jobId: next, status: 'failed' })
    expect((await retry(next))['structuredContent']).toMatchObject({ attempt: 3 })
  })

  test('may have been too slow, and is done by a second attempt', async () => {
    const jobId = await startReport(server, { seconds: 2.4, sections: 12, timeoutSeconds: 1.8 })
    const failed = await ended(server, jobId)
    expect(failed).toMatchObject({
      status: 'timed_out',
      phase: 'Timed out',
      canRetry: true,
      error: { code: 'timeout', message: 'It was not done within 1.8 s.' },
    })
    expect(await server.request('tasks/get', { taskId: jobId })).toMatchObject({ status: 'failed' })
    let job = failed
    // On a slow machine it may take more than two, but each gets further.
    while (job['status'] === 'timed_out')
      job = await ended(server, (await retry(job['jobId']))['structuredContent'].jobId)
    expect(job).toMatchObject({ status: 'succeeded' })
    expect(job['attempt']).toBeGreaterThanOrEqual(2)
  })

  test('may be beyond help, and says so', async () => {
    const jobId = await startReport(server, { seconds: 0, fail: 'refused' })
    expect(await ended(server, jobId)).toMatchObject({
      status: 'failed',
      canRetry: false,
      error: { code: 'query_refused' },
    })
    const answer = await retry(jobId)
    expect(answer).toMatchObject({ isError: true, structuredContent: { jobId, attempt: 1 } })
    expect(answer['content'][0].text).toMatch(/^This job cannot be tried again\. .+ refuse/)
  })

  test('is not one that is running or done', async () => {
    const jobId = await startReport(server, { seconds: 60 })
    expect(await retry(jobId)).toMatchObject({ isError: true, structuredContent: { jobId } })
    await server.call('cancel_report', { jobId })
    const done = await startReport(server, { seconds: 0 })
    await ended(server, done)
    expect(await retry(done)).toMatchObject({ isError: true, structuredContent: { status: 'succeeded' } })
  })

  test('may have been cancelled, and goes on from there', async () => {
    const jobId = await startReport(server, { seconds: 4, sections: 18 })
    const reading = ({ phase }: Json) => Number(/^Reading (\d+) of 18$/.exec(phase)?.[1] ?? 0)
    const reached = reading((await follow(server, jobId, (job) => reading(job) >= 3)).at(-1)!)
    await server.call('cancel_report', { jobId })
    expect(await ended(server, jobId)).toMatchObject({ status: 'cancelled', canRetry: true })
    const next = (await retry(jobId))['structuredContent'].jobId
    const seen = await follow(server, next, (job) => reading(job) > 0)
    expect(reading(seen.at(-1)!)).toBeGreaterThanOrEqual(reached)
    await server.call('cancel_report', { jobId: next })
  })
})

describe('a server without a free worker', () => {
  let server: RunningServer | undefined
  afterEach(() => server?.close())

  test('cancels a waiting job at once, and lets it wait again', async () => {
    server = await startServer({ port: 0, workers: 0 })
    const client = caller(httpWire(server.url))
    const jobId = await startReport(client, {})
    const { structuredContent: queued } = await client.call('get_report_status', { jobId })
    expect(queued).toMatchObject({ status: 'queued', percent: null, phase: 'Waiting for a worker', canCancel: true })
    const { structuredContent: cancelled } = await client.call('cancel_report', { jobId })
    expect(cancelled).toMatchObject({ status: 'cancelled', canRetry: true })
    const { structuredContent: next } = await client.call('retry_report', { jobId })
    expect(next).toMatchObject({ status: 'queued', attempt: 2 })
  })

  test('refuses jobs and retries beyond its bound', async () => {
    server = await startServer({ port: 0, workers: 0, maxQueued: 1 })
    const client = caller(httpWire(server.url))
    const jobId = await startReport(client, {})
    const overloaded = { code: -32603, data: { reason: 'overloaded', retryAfterMs: 1000 } }
    await expect(client.call('start_report', { query: 'tea' })).rejects.toMatchObject(overloaded)
    await client.call('cancel_report', { jobId })
    await startReport(client, {})
    await expect(client.call('retry_report', { jobId })).rejects.toMatchObject(overloaded)
    expect((await client.call('get_report_status', { jobId }))['structuredContent']).toMatchObject({ canRetry: true })
  })
})

test('a job whose time to live is over is an unknown one', async () => {
  const server = await startServer({ port: 0, ttlMs: 1000, upkeepMs: 50, pollIntervalMs: 100 })
  const client = caller(httpWire(server.url))
  const jobId = await startReport(client, { seconds: 60 })
  await expect(follow(client, jobId, () => false)).rejects.toThrow('The job is gone.')
  for (const name of ['cancel_report', 'retry_report', 'get_report_result'])
    expect(await client.call(name, { jobId })).toMatchObject({ isError: true })
  await server.close()
})
