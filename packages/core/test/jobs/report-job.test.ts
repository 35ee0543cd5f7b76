import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { jobTools, toModelContext, type JobToolsOptions, type JsonObject } from '../../src/index.ts'
import { createFakeConnection, settle } from '../support/fake-connection.ts'
import { createRun, fire, ignore, trouble, type Options, type Run } from '../support/runs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const tools: JobToolsOptions = {
  start: 'start_report',
  status: 'get_report_status',
  cancel: 'cancel_report',
  retry: 'retry_report',
}

/** What a tool says of the job, as the boring contract has it. */
const job = (status: string, over: JsonObject = {}, meta: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text: `Report ${status}` }],
  structuredContent: { jobId: 'j-41', status, percent: null, phase: 'Waiting', summary: 'In the queue', ...over },
  _meta: meta,
})
const isError = (text: string) => ({ isError: true, content: [{ type: 'text', text }] })

const start = (options: Partial<JobToolsOptions> = {}, over: Options = {}) => {
  const connection = createFakeConnection({ generation: 'none', supportsTasks: false })
  return createRun({ protocol: jobTools({ ...tools, ...options }), ...over }, connection)
}
/** The tools that were called, oldest first. */
const called = ({ connection }: Run) => connection.sent.map(({ params }) => params['name'])
const last = ({ connection }: Run) => connection.sent.at(-1)!
async function next(run: Run) {
  await vi.advanceTimersByTimeAsync(2000)
  return last(run)
}

describe('a report job', () => {
  test('is started once, told in its own words, and done', async () => {
    const run = start()
    await fire(run).answer(job('queued'))
    expect(last(run).params).toEqual({ name: 'start_report', arguments: { city: 'Turku' } })
    expect(run.view()).toMatchObject({
      phase: 'working',
      task: { taskId: 'j-41', status: 'working', statusMessage: 'In the queue' },
      job: { word: 'queued', stage: 'Waiting', summary: 'In the queue', artifact: null },
      progress: { percent: null, message: 'In the queue' },
    })
    await (await next(run)).answer(job('running', { percent: 40, phase: 'Charts', summary: 'Drawing' }))
    expect(last(run).params).toEqual({ name: 'get_report_status', arguments: { jobId: 'j-41' } })
    expect(run.view()).toMatchObject({
      job: { word: 'running', stage: 'Charts' },
      progress: { percent: 40, message: 'Drawing' },
    })
    await (await next(run)).answer(job('running', { percent: null, phase: 'Proofs', summary: 'Reading proofs' }))
    expect(run.view().progress).toMatchObject({ percent: null, message: 'Reading proofs' })
    await (await next(run)).answer(job('succeeded', { percent: 100, result: { title: 'Q3', artifactId: 'a-7' } }))
    expect(run.view()).toMatchObject({
      phase: 'completed',
      job: { word: 'succeeded', artifact: { id: 'a-7', title: 'Q3' } },
      result: { data: { title: 'Q3', artifactId: 'a-7' }, isError: false },
    })
    expect(called(run).filter((name) => name === 'start_report')).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that the start tool already knows to be done is never read', async () => {
    const run = start()
    await fire(run).answer(job('succeeded', { result: { title: 'Q3' } }))
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: { title: 'Q3' } } })
    expect(called(run)).toEqual(['start_report'])
  })

  test('whose result has a tool of its own is fetched with it, once', async () => {
    const run = start({ result: 'get_report_result' })
    await fire(run).answer(job('running'))
    await (await next(run)).answer(job('succeeded'))
    expect(last(run).params).toEqual({ name: 'get_report_result', arguments: { jobId: 'j-41' } })
    await last(run).answer({ content: [], structuredContent: { pages: 12 } })
    expect(run.view()).toMatchObject({ phase: 'completed', result: { data: { pages: 12 } } })
  })

  test('that fails says why, and is run again by the retry tool, which counts', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    await (
      await next(run)
    ).answer(job('failed', { canRetry: true, error: { code: 'render_failed', message: 'The renderer stopped.' } }))
    expect(run.view()).toMatchObject({
      phase: 'failed',
      attempt: 1,
      canRetry: true,
      error: { kind: 'tool', message: 'The renderer stopped.' },
    })
    ignore(run.runner.retry())
    await settle()
    expect(last(run).params).toEqual({ name: 'retry_report', arguments: { jobId: 'j-41' } })
    await last(run).answer(job('queued'))
    expect(run.view()).toMatchObject({ phase: 'working', attempt: 2, error: null, task: { taskId: 'j-41' } })
  })

  test('that the server does not let be run again is not run again', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    await (await next(run)).answer(job('failed', { canRetry: false }))
    expect(run.view().canRetry).toBe(false)
    await expect(run.runner.retry()).rejects.toMatchObject({ kind: 'not-sent' })
    expect(called(run)).toEqual(['start_report', 'get_report_status'])
  })

  test('without a retry tool is started anew', async () => {
    const { retry: _, ...without } = tools
    const connection = createFakeConnection({ generation: 'none', supportsTasks: false })
    const run = createRun({ protocol: jobTools(without) }, connection)
    await fire(run).answer(job('failed'))
    ignore(run.runner.retry())
    await settle()
    expect(last(run).params).toEqual({ name: 'start_report', arguments: { city: 'Turku' } })
  })

  test('that timed out has failed, with a way to try again', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    await (await next(run)).answer(job('timed_out', { summary: 'Took too long.' }))
    expect(run.view()).toMatchObject({
      phase: 'failed',
      canRetry: true,
      job: { word: 'timed_out' },
      error: { kind: 'tool', message: 'Took too long.', retryable: true },
    })
  })
})

describe('cancelling a job', () => {
  test('asks once, shows that it was asked, and ends with the word of the server', async () => {
    const run = start()
    await fire(run).answer(job('running', { canCancel: true }))
    ignore(run.runner.cancel())
    expect(last(run).params).toEqual({ name: 'cancel_report', arguments: { jobId: 'j-41' } })
    await last(run).answer(job('cancel_requested'))
    expect(run.view()).toMatchObject({ phase: 'cancelling', canCancel: false, job: { word: 'cancel_requested' } })
    await (await next(run)).answer(job('cancel_requested'))
    expect(run.view().phase).toBe('cancelling')
    await (await next(run)).answer(job('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(called(run).filter((name) => name === 'cancel_report')).toHaveLength(1)
  })

  test('a job that has finished meanwhile is no error', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    ignore(run.runner.cancel())
    await last(run).answer(job('succeeded', { result: { title: 'Q3' } }))
    expect(run.view()).toMatchObject({
      phase: 'completed',
      cancelRequested: true,
      error: null,
      result: { data: { title: 'Q3' } },
    })
  })

  test('an answer that says nothing of the job is an acknowledgement', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    ignore(run.runner.cancel())
    await last(run).answer({ content: [{ type: 'text', text: 'ok' }] })
    expect(run.view().phase).toBe('cancelling')
  })

  test('refused by the tool: the job is read once, and what the tool said is shown', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    ignore(run.runner.cancel())
    await last(run).answer(isError('Too late to stop.'))
    await settle()
    await last(run).answer(job('running', { percent: 90 }))
    expect(run.view()).toMatchObject({
      phase: 'working',
      cancelRequested: false,
      error: { message: 'Too late to stop.' },
    })
  })

  test('is offered only where there is a tool for it and the server lets it be', async () => {
    const { cancel: _, ...without } = tools
    const connection = createFakeConnection({ generation: 'none', supportsTasks: false })
    const run = createRun({ protocol: jobTools(without) }, connection)
    await fire(run).answer(job('running', { canCancel: true }))
    expect(run.view().canCancel).toBe(false)
    await run.runner.cancel()
    expect(run.view()).toMatchObject({ phase: 'working', error: { kind: 'unsupported' } })
    expect(called(run)).toEqual(['start_report'])

    const other = start()
    await fire(other).answer(job('running', { canCancel: false }))
    expect(other.view().canCancel).toBe(false)
    await (await next(other)).answer(job('running', { canCancel: true }))
    expect(other.view().canCancel).toBe(true)
  })

  test('by somebody else shows too, and sends nothing', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    await (await next(run)).answer(job('cancel_requested'))
    expect(run.view()).toMatchObject({ phase: 'cancelling', cancelRequested: true })
    await (await next(run)).answer(job('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(called(run)).not.toContain('cancel_report')
  })
})

describe('a status tool that reports an error', () => {
  test('is asked again, and after the configured tries the job is lost, in the words of the tool', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    await (await next(run)).answer(isError('No such job.'))
    expect(run.view()).toMatchObject({ phase: 'working', isStale: true })
    await vi.advanceTimersByTimeAsync(10_000)
    await last(run).answer(isError('No such job.'))
    await vi.advanceTimersByTimeAsync(20_000)
    await last(run).answer(isError('No such job.'))
    expect(run.view()).toMatchObject({ phase: 'expired', error: { kind: 'expired', message: 'No such job.' } })
    expect(called(run)).toHaveLength(4)
  })

  test('once is forgotten when the next answer is fine', async () => {
    const run = start()
    await fire(run).answer(job('running'))
    await (await next(run)).answer(isError('Busy.'))
    await vi.advanceTimersByTimeAsync(10_000)
    await last(run).answer(job('running', { percent: 50 }))
    expect(run.view()).toMatchObject({ phase: 'working', isStale: false, progress: { percent: 50 } })
  })

  test('after our cancel means that the job is gone', async () => {
    const run = start({}, { maxPollFailures: 1 })
    await fire(run).answer(job('running'))
    ignore(run.runner.cancel())
    await last(run).answer(job('cancel_requested'))
    await (await next(run)).answer(isError('No such job.'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: false })
  })

  test('is not the same as a request that fails: that keeps the job', async () => {
    const run = start({}, { maxPollFailures: 1 })
    await fire(run).answer(job('running'))
    await (await next(run)).fail(trouble.reset)
    expect(run.view()).toMatchObject({ phase: 'detached', detachedBecause: 'unreachable' })
  })
})

test('a start tool that reports an error has started nothing', async () => {
  const run = start()
  await fire(run).answer(isError('No such account.'))
  expect(run.view()).toMatchObject({
    phase: 'failed',
    error: { kind: 'tool', message: 'No such account.' },
    task: { taskId: null },
  })
  expect(called(run)).toEqual(['start_report'])
})

test('another process goes on by the reference, and can run a failed job again without its arguments', async () => {
  const first = start()
  await fire(first).answer(job('running'))
  const { reference } = first.runner
  expect(reference).toMatchObject({ protocol: 'job-tools', taskId: 'j-41' })
  first.runner.dispose()

  const second = start()
  ignore(second.runner.resume(reference!))
  expect(last(second).params).toEqual({ name: 'get_report_status', arguments: { jobId: 'j-41' } })
  await last(second).answer(job('failed', { canRetry: true }))
  expect(second.view()).toMatchObject({ phase: 'failed', canRetry: true })
  ignore(second.runner.retry())
  await settle()
  expect(last(second).params).toEqual({ name: 'retry_report', arguments: { jobId: 'j-41' } })
})

test('the model gets what it may need, and no log line, trace id, URL or payload', async () => {
  const run = start()
  await fire(run).answer(
    job(
      'succeeded',
      {
        percent: 100,
        phase: 'Done',
        summary: 'Ready at https://store.example/signed?token=s3cret now\nstack: at render.js:1',
        result: { title: 'Q3 report', artifactId: 'a-7', rows: ['raw-row'] },
      },
      { logTail: ['log-line-1'], traceId: 'trace-9' },
    ),
  )
  const context = toModelContext(run.view())
  expect(context).toEqual({
    id: 'j-41',
    status: 'completed',
    jobStatus: 'succeeded',
    stage: 'Done',
    percent: 100,
    summary: 'Ready at [link] now',
    artifact: 'Q3 report',
    nextActions: [],
  })
  expect(JSON.stringify(context)).not.toMatch(/log-line|trace-9|s3cret|raw-row|stack/)
  // People may see what is for display.
  expect(run.view().job!.display).toEqual({ logTail: ['log-line-1'], traceId: 'trace-9' })
})

test('a long log shows its end only', async () => {
  const run = start()
  const logTail = Array.from({ length: 80 }, (_, line) => `line ${line}`)
  await fire(run).answer(job('running', {}, { logTail }))
  expect(run.view().job!.display['logTail']).toEqual(logTail.slice(-50))
})

describe('a job that someone else has started', () => {
  test('is taken up: it is followed, cancelled and done like any other, and no start tool is called', async () => {
    const run = start()
    run.runner.adopt(job('queued', { canCancel: true }))
    expect(run.view()).toMatchObject({ phase: 'working', task: { taskId: 'j-41' }, job: { word: 'queued' } })
    await (await next(run)).answer(job('running', { percent: 40 }))
    expect(run.view()).toMatchObject({ progress: { percent: 40 }, canCancel: true })
    ignore(run.runner.cancel())
    expect(last(run).params).toEqual({ name: 'cancel_report', arguments: { jobId: 'j-41' } })
    await last(run).answer(job('cancel_requested'))
    await (await next(run)).answer(job('cancelled'))
    expect(run.view()).toMatchObject({ phase: 'cancelled', confirmed: true })
    expect(called(run)).not.toContain('start_report')
  })

  test.each([
    [
      'is done already',
      job('succeeded', { result: { title: 'Q3' } }),
      { phase: 'completed', result: { data: { title: 'Q3' } } },
    ],
    ['has failed', job('failed', { error: 'no disk' }), { phase: 'failed', error: { message: 'no disk' } }],
    ['was refused', isError('No such account.'), { phase: 'failed', error: { message: 'No such account.' } }],
  ])('and %s', async (_, answer, view) => {
    const run = start()
    run.runner.adopt(answer)
    expect(run.view()).toMatchObject(view)
    expect(called(run)).toEqual([])
  })

  test('whose answer names no job is refused at once', () => {
    const run = start()
    expect(() => run.runner.adopt({ content: [{ type: 'text', text: 'Started!' }] })).toThrow(TypeError)
    expect(run.view().phase).toBe('idle')
  })
})
