import { describe, expect, test } from 'vitest'
import { createTaskRunner, jobTools, listTasks } from '../../src/index.ts'
import { createScriptedServer, reportTools, systemClock, type Schedule } from '../../src/testing/index.ts'
import { begin, flavours, tool } from './support.ts'

const story: Schedule = [
  { status: 'working', message: 'In the queue' },
  { after: 1000, progress: 40, message: 'Charts' },
  { after: 1000, status: 'completed', message: 'Done', result: { title: 'Q3' } },
]

describe.each(flavours)('one story, by %s', (flavour) => {
  test('goes to its end, by the clock', async () => {
    const { clock, runner, seen, view, server } = begin(story, { flavour })
    await clock.advance(1500)
    expect(view().isWorking).toBe(true)
    if (flavour !== 'extension') expect(view().progress).toMatchObject({ percent: 40, message: 'Charts' })
    else expect(view().progress).toMatchObject({ percent: null, message: 'Charts' })
    await clock.advance(1000)
    expect(view()).toMatchObject({ phase: 'completed', result: { data: { title: 'Q3' } } })
    expect(seen).toEqual(flavour === 'plain' ? ['submitting', 'completed'] : ['submitting', 'working', 'completed'])
    await expect(runner.result()).resolves.toMatchObject({ isError: false })
    expect(server.count(tool)).toBe(1)
    expect(clock.pending).toBe(0)
  })

  test('fails as the step says', async () => {
    const { clock, view } = begin([{ after: 100, status: 'failed', error: { code: -32000, message: 'No ink.' } }], {
      flavour,
    })
    await clock.advance(2000)
    const kind = flavour === 'jobTools' ? 'tool' : 'protocol'
    expect(view()).toMatchObject({ phase: 'failed', error: { kind, message: 'No ink.' } })
  })

  test('is cancelled', async () => {
    const { clock, runner, view } = begin([{ after: 60_000, status: 'completed' }], { flavour })
    await clock.advance(500)
    void runner.cancel()
    await clock.advance(1000)
    expect(view()).toMatchObject({ phase: 'cancelled', confirmed: flavour !== 'plain', cancelRequested: true })
    expect(clock.pending).toBe(0)
  })

  test('begins anew with every call', async () => {
    const onRetry = [{ after: 100, status: 'completed', result: 'Better now' }] as const
    const { clock, runner, view, server } = begin([{ status: 'failed' }], { flavour, onRetry })
    await clock.advance(2000)
    expect(view()).toMatchObject({ phase: 'failed', attempt: 1 })
    void runner.retry()
    await clock.advance(2000)
    expect(view()).toMatchObject({ phase: 'completed', attempt: 2 })
    expect(server.count('tools/call')).toBeGreaterThan(1)
  })

  test('loses the answer to the call', async () => {
    const { view, clock } = begin([{ fault: 'reset' }], { flavour })
    await clock.advance(0)
    expect(view()).toMatchObject({ phase: 'detached', detachedBecause: 'lost' })
  })

  test('answers the call with nonsense', async () => {
    const { view, clock } = begin([{ fault: 'malformed' }], { flavour })
    await clock.advance(0)
    expect(view()).toMatchObject({ phase: 'failed', error: { kind: 'malformed' } })
  })

  test('refuses the call with the error of the step', async () => {
    const { view, clock } = begin([{ fault: { code: -32001, message: 'Not today' } }], { flavour })
    await clock.advance(0)
    expect(view()).toMatchObject({ phase: 'failed', error: { kind: 'protocol', code: -32001, message: 'Not today' } })
  })

  test('takes its time', async () => {
    const { view, clock } = begin([{ status: 'completed' }], { flavour, latency: 300 })
    await clock.advance(299)
    expect(view()).toMatchObject({ phase: 'submitting' })
    await clock.advance(2000)
    expect(view().phase).toBe('completed')
  })
})

describe('a server', () => {
  test('knows what it was asked, and when', async () => {
    const { clock, server } = begin([{ after: 1000, status: 'completed' }])
    const begun = clock.now()
    await clock.advance(1000)
    expect(server.requests).toEqual([
      { method: 'tools/call', params: { name: tool, arguments: { quarter: 'Q3' } }, at: begun },
      { method: 'tasks/get', params: { taskId: 'task-1' }, at: begun + 1000 },
    ])
  })

  test('keeps its calls apart', async () => {
    const { connection, clock } = createScriptedServer([{ after: 1000, status: 'completed' }], { flavour: 'augmented' })
    const call = () => connection.request('tools/call', { name: tool, task: {} })
    await call()
    await clock.advance(600)
    await call()
    await clock.advance(600)
    const { tasks } = await listTasks(connection)
    expect(tasks.map(({ taskId, status }) => [taskId, status])).toEqual([
      ['task-1', 'completed'],
      ['task-2', 'working'],
    ])
  })

  test.each(flavours)('does not know what it was never asked to do (%s)', async (flavour) => {
    const { connection } = createScriptedServer([], { flavour })
    await expect(connection.request('resources/list', {})).rejects.toMatchObject({ code: -32601 })
    const read = connection.request('tasks/get', { taskId: 'task-9' })
    const isTasks = flavour === 'extension' || flavour === 'augmented'
    await expect(read).rejects.toMatchObject({ code: isTasks ? -32602 : -32601 })
  })

  test('of job tools says of a job that it does not know what tools say', async () => {
    const { connection } = createScriptedServer([], { flavour: 'jobTools' })
    for (const args of [{ jobId: 'job-9' }, {}, undefined])
      expect(await connection.request('tools/call', { name: reportTools.status, arguments: args })).toMatchObject({
        isError: true,
      })
  })

  test('has the job tools that it is told, with one for the result', async () => {
    const tools = { status: 'peek', result: 'collect' }
    const more = { protocol: jobTools(tools) }
    const { clock, view, server } = begin(
      [{ status: 'completed', result: 'All of it' }],
      { flavour: 'jobTools', tools },
      more,
    )
    await clock.advance(2000)
    expect(view()).toMatchObject({ phase: 'completed', result: { data: 'All of it' } })
    expect(server.count('collect')).toBe(1)
  })

  test('speaks of tools as it is told', async () => {
    const { connection } = createScriptedServer([], { flavour: 'augmented', taskSupport: 'forbidden' })
    expect(await connection.taskSupport(tool)).toBe('forbidden')
    expect(connection).toMatchObject({ generation: '2025-11-25', supportsTasks: true })
  })

  test('fails what is under way when the connection closes, and does nothing while it is closed', async () => {
    const { connection, close, open } = createScriptedServer([{ after: 1000, status: 'completed' }], {
      flavour: 'plain',
    })
    const reasons: unknown[] = []
    connection.onClose((reason) => reasons.push(reason))
    const call = connection.request('tools/call', { name: tool })
    close('gone fishing')
    close('again')
    await expect(call).rejects.toMatchObject({ reason: 'closed' })
    await expect(connection.request('tools/call', { name: tool })).rejects.toMatchObject({ reason: 'closed' })
    expect(reasons).toEqual(['gone fishing'])
    open()
    await expect(connection.request('ping', {})).rejects.toMatchObject({ code: -32601 })
  })

  test('lets go of a request that is aborted', async () => {
    const { connection, clock } = createScriptedServer([{ after: 1000, status: 'completed' }], { flavour: 'plain' })
    const controller = new AbortController()
    const call = connection.request('tools/call', { name: tool }, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
    await expect(connection.request('tools/call', { name: tool }, { signal: controller.signal })).rejects.toThrow(
      'enough',
    )
  })

  test('sends what it is told to send', async () => {
    const { runner, clock, view, server } = begin([])
    await clock.advance(100)
    expect(runner.reference?.taskId).toBe('task-1')
    server.push('notifications/tasks', { taskId: 'task-1', status: 'cancelled' })
    await clock.advance(0)
    expect(view().phase).toBe('cancelled')
  })
})

test.each(flavours)('a story takes its real time by a real clock (%s)', async (flavour) => {
  const schedule: Schedule = [
    { after: 20, message: 'On its way' },
    { after: 20, status: 'completed', result: 'Done' },
  ]
  const { connection } = createScriptedServer(schedule, { flavour, clock: systemClock, pollInterval: 20 })
  const protocol = flavour === 'jobTools' ? jobTools(reportTools) : 'auto'
  const runner = createTaskRunner({ connection, tool, protocol, minPollInterval: 20 })
  await runner.fire()
  await expect(runner.result()).resolves.toMatchObject({ isError: false })
  runner.dispose()
})
