import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { createScriptedServer, type Schedule } from '../../src/testing/index.ts'
import { begin, question, tool } from './support.ts'

describe.each(['extension', 'augmented', 'plain'] as const)('a question, by %s', (flavour) => {
  const asking: Schedule = [
    { after: 500, status: 'input_required', ask: { ocean: question } },
    { after: 1000, status: 'completed', result: 'Atlantic' },
  ]

  test('waits for its answer, however long', async () => {
    const { clock, runner, view, server } = begin(asking, { flavour })
    await clock.advance(600_000)
    expect(view().phase).toBe('input_required')
    const [key, asked] = Object.entries(view().inputRequests)[0]!
    expect(asked).toMatchObject({ kind: 'elicitation', params: { message: 'Which ocean?' } })
    const answer = { action: 'accept', content: { ocean: 'Atlantic' } }
    void runner.respond({ [key]: answer })
    await clock.advance(3000)
    expect(view()).toMatchObject({ phase: 'completed', result: { data: 'Atlantic' } })
    expect(server.answers).toEqual([{ key: 'ocean', answer }])
  })

  test('is let go when the work is cancelled', async () => {
    const { clock, runner, view } = begin(asking, { flavour })
    await clock.advance(2000)
    void runner.cancel()
    await clock.advance(2000)
    expect(view()).toMatchObject({ phase: 'cancelled', inputRequests: {} })
  })

  test('may be two at once: both are to be answered', async () => {
    const two = { ocean: question, sea: { ...question, params: { ...question.params, message: 'Which sea?' } } }
    const { clock, runner, view, server } = begin([{ status: 'input_required', ask: two }, { status: 'completed' }], {
      flavour,
    })
    await clock.advance(2000)
    const [first, second] = Object.keys(view().inputRequests)
    void runner.respond({ [first!]: { action: 'decline' } })
    await clock.advance(2000)
    expect(Object.keys(view().inputRequests)).toEqual([second])
    void runner.respond({ [second!]: { action: 'decline' } })
    await clock.advance(2000)
    expect(view().phase).toBe('completed')
    expect(server.answers.map(({ key }) => key)).toEqual(['ocean', 'sea'])
  })
})

describe('cancelling', () => {
  test('takes as long as the schedule says', async () => {
    const onCancel = [{ message: 'Stopping' }, { after: 3000, status: 'cancelled' }] as const
    const { clock, runner, view } = begin([], { onCancel })
    await clock.advance(100)
    void runner.cancel()
    await clock.advance(2000)
    expect(view()).toMatchObject({ phase: 'cancelling', task: { statusMessage: 'Stopping' } })
    await clock.advance(2000)
    expect(view().phase).toBe('cancelled')
  })

  test('withdraws what was asked, though it takes a while', async () => {
    const onCancel = [{ after: 3000, status: 'cancelled' }] as const
    const { clock, runner, view } = begin([{ status: 'input_required', ask: { ocean: question } }], { onCancel })
    await clock.advance(1500)
    void runner.cancel()
    await clock.advance(2000)
    expect(view()).toMatchObject({ phase: 'cancelling', task: { status: 'working' }, inputRequests: {} })
    await clock.advance(3000)
    expect(view().phase).toBe('cancelled')
  })

  test('ends a plain call whose answer will never come', async () => {
    const { clock, runner, view } = begin([{ fault: 'drop' }, { after: 60_000 }], { flavour: 'plain' })
    await clock.advance(100)
    void runner.cancel()
    await clock.advance(0)
    expect(view()).toMatchObject({ phase: 'cancelled', confirmed: false })
    expect(clock.pending).toBe(0)
  })

  test('may come to nothing: the work is done all the same', async () => {
    const { clock, runner, view } = begin([{ after: 2500, status: 'completed', result: 'Done' }], { onCancel: [] })
    await clock.advance(100)
    void runner.cancel()
    await clock.advance(3000)
    expect(view()).toMatchObject({ phase: 'completed', cancelRequested: true })
  })

  test('may be impossible', async () => {
    const { clock, runner, view } = begin([{ fault: { code: -32600, message: 'Not now' }, on: 'tasks/cancel' }], {
      flavour: 'augmented',
    })
    await clock.advance(1500)
    expect(view().phase).toBe('working')
    await runner.cancel()
    await clock.advance(0)
    expect(view()).toMatchObject({ phase: 'working', canCancel: false, error: { kind: 'unsupported' } })
  })
})

describe('reading', () => {
  test('fails as often as the schedule says, and recovers', async () => {
    const { clock, view } = begin([{ after: 500, fault: 'unavailable', times: 2 }, { message: 'Back' }])
    await clock.advance(1000)
    expect(view()).toMatchObject({ phase: 'working', isStale: true })
    await clock.advance(10_000)
    expect(view()).toMatchObject({ phase: 'working', isStale: false, task: { statusMessage: 'Back' } })
  })

  test.each([
    ['gone', { phase: 'expired' }],
    ['unauthorized', { phase: 'detached', detachedBecause: 'unauthorized' }],
    ['session-lost', { phase: 'working', detachedBecause: 'connection' }],
    ['unavailable', { phase: 'detached', detachedBecause: 'unreachable' }],
    ['malformed', { phase: 'failed', error: { kind: 'malformed' } }],
    ['drop', { phase: 'detached', detachedBecause: 'unreachable' }],
  ] as const)('ends by %s', async (fault, shown) => {
    const { clock, view } = begin([{ after: 500, fault, times: Infinity }], {}, { requestTimeout: 2000 })
    await clock.advance(60_000)
    expect(view()).toMatchObject(shown)
  })

  test('goes on when a connection that was closed is open again', async () => {
    const { clock, view } = begin([
      { after: 500, connection: 'closed' },
      { after: 5000, connection: 'open' },
      { after: 100, status: 'completed', result: 'Done' },
    ])
    await clock.advance(3000)
    expect(view()).toMatchObject({ phase: 'working', detachedBecause: 'connection' })
    await clock.advance(5000)
    expect(view()).toMatchObject({ phase: 'completed', detachedBecause: null })
  })

  test('hears a push at once, if it listens', async () => {
    const end: Schedule = [{ after: 2500, status: 'completed', result: 'Done', push: true }]
    for (const flavour of ['extension', 'augmented'] as const) {
      const { clock, view } = begin(end, { flavour, pollInterval: 60_000 })
      await clock.advance(2500)
      expect(view().phase, flavour).toBe('completed')
    }
    const { connection, clock } = createScriptedServer(end)
    const heard: JsonObject[] = []
    connection.onNotification('notifications/tasks', (params) => heard.push(params))
    await connection.request('tools/call', { name: tool })
    await clock.advance(5000)
    expect(heard).toEqual([])
  })

  test('only ever learns what the protocol can say of tools that failed', async () => {
    const result = { isError: true, content: [{ type: 'text', text: 'No such quarter' }] }
    for (const flavour of ['extension', 'augmented', 'plain'] as const) {
      const { clock, view } = begin([{ status: 'failed', result }], { flavour })
      await clock.advance(2000)
      expect(view(), flavour).toMatchObject({ phase: 'failed', error: { kind: 'tool', message: 'No such quarter' } })
    }
  })
})
