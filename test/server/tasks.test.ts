import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'
import { endProcesses } from './support/server-process.ts'
import { stdioWire } from './support/stdio-wire.ts'
import { createTask, finished, until, type Json, type Wire } from './support/wire.ts'

const UNKNOWN = '7d9f0c5e-0000-4000-8000-000000000000'
const accept = (content: Json) => ({ action: 'accept', content })
const textOf = (task: Json) => task['result'].content[0].text

describe.each(['http', 'stdio'] as const)('tasks over %s', (transport) => {
  let wire: Wire
  let server: RunningServer | undefined
  beforeAll(async () => {
    if (transport === 'http') server = await startServer({ port: 0, fixtures: true })
    wire = server ? httpWire(server.url) : stdioWire(['--fixtures'])
  })
  afterAll(async () => {
    await server?.close()
    await endProcesses()
  })
  const call = (name: string, args: Json, meta: Json = {}) =>
    wire.request('tools/call', { name, arguments: args, _meta: meta })

  test('a call is answered with a handle that can be read at once', async () => {
    const handle = await call('start_research', { query: 'tea', seconds: 60 })
    expect(handle).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000, pollIntervalMs: 1000 })
    expect(handle).not.toHaveProperty('result')
    const task = await wire.request('tasks/get', { taskId: handle['taskId'] })
    expect(task).toMatchObject({ resultType: 'complete', taskId: handle['taskId'], status: 'working' })
    await wire.request('tasks/cancel', { taskId: handle['taskId'] })
  })

  test('a subscription tells every phase in words and ends with the result', async () => {
    const taskId = await createTask(wire, 'start_research', { query: 'tea', seconds: 0.8, sections: 2 })
    const messages: Json[] = []
    for await (const message of wire.listen([taskId, UNKNOWN])) messages.push(message)

    const subscription = {
      'io.modelcontextprotocol/subscriptionId': messages[0]?.['params']._meta['io.modelcontextprotocol/subscriptionId'],
    }
    expect(messages.every(({ params, result }) => params?._meta ?? result?._meta)).toBe(true)
    expect(messages[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: subscription },
    })
    const pushes = messages.filter(({ method }) => method === 'notifications/tasks').map(({ params }) => params)
    const words = pushes.map(({ statusMessage }) => statusMessage)
    // Under load a push may tell of two changes at once, so a phase may be missing but none comes too early.
    const phases = [
      'Waiting for a worker',
      'Searching sources',
      'Reading 1 of 2',
      'Reading 2 of 2',
      'Writing the report',
      'Done',
    ]
    expect(phases.filter((phase) => words.includes(phase))).toEqual(words)
    expect(words.length).toBeGreaterThanOrEqual(3)
    expect(words.at(-1)).toBe('Done')
    const stamps = pushes.map(({ lastUpdatedAt }) => lastUpdatedAt)
    expect(stamps).toEqual([...new Set(stamps)].toSorted())
    expect(pushes.at(-1)).toMatchObject({ status: 'completed', result: { structuredContent: { sections: 2 } } })
    expect(messages.at(-1)).toMatchObject({ result: { resultType: 'complete', _meta: subscription } })
  })

  test('a report stays as a resource, and subscribers hear that the list has changed', async () => {
    const taskId = await createTask(wire, 'start_research', { query: 'a long read', seconds: 0.5, sections: 30 })
    const other = await createTask(wire, 'slow_compute', { seconds: 60 })
    let heard = false
    for await (const { method } of wire.listen([other], { resourcesListChanged: true })) {
      heard = method === 'notifications/resources/list_changed'
      if (heard) break
    }
    expect(heard).toBe(true)
    await wire.request('tasks/cancel', { taskId: other })

    const { result } = await finished(wire, taskId)
    const link = result.content.find(({ type }: Json) => type === 'resource_link')
    expect(link).toMatchObject({ uri: result.structuredContent.resource, mimeType: 'text/markdown' })
    const { resources } = await wire.request('resources/list')
    expect(resources).toContainEqual(expect.objectContaining({ uri: link.uri }))
    const { contents } = await wire.request('resources/read', { uri: link.uri })
    expect(contents[0].text).toContain('## Source 30')
    await expect(wire.request('resources/read', { uri: 'report://none' })).rejects.toMatchObject({ code: -32602 })
  })

  test('small work is done outright', async () => {
    const result = await call('start_research', { query: 'tea', seconds: 0, sections: 1 })
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { sections: 1 } })
    expect(result).not.toHaveProperty('taskId')
  })

  test('a cancel is acknowledged without a status and happens at the next step', async () => {
    const taskId = await createTask(wire, 'start_research', { query: 'tea', seconds: 600 })
    await until(wire, taskId, ({ statusMessage }) => statusMessage === 'Searching sources')
    const acknowledgement = await wire.request('tasks/cancel', { taskId })
    expect(Object.keys(acknowledgement).filter((key) => key !== '_meta')).toEqual(['resultType'])
    expect(await finished(wire, taskId)).toMatchObject({ status: 'cancelled' })
    expect(await wire.request('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' })
    expect(await wire.request('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' })
  })

  test('a finished task stays what it is when it is cancelled', async () => {
    const taskId = await createTask(wire, 'slow_compute', { seconds: 0.01, label: 'x' })
    await finished(wire, taskId)
    await wire.request('tasks/cancel', { taskId })
    expect(await wire.request('tasks/get', { taskId })).toMatchObject({ status: 'completed' })
  })

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s of an unknown task is an invalid parameter',
    async (method) => {
      await expect(wire.request(method, { taskId: UNKNOWN })).rejects.toMatchObject({ code: -32602 })
    },
  )

  test('a task that asks twice goes on with the answers, in the order of the form', async () => {
    const taskId = await createTask(wire, 'book_trip', { destination: 'Oslo', seconds: 0.1 })
    const asks = ({ status }: Json) => status === 'input_required'
    const first = await until(wire, taskId, asks)
    const form = first['inputRequests'].trip.params.requestedSchema
    expect(Object.keys(form.properties)).toEqual(['flight', 'travellers', 'email', 'insurance'])

    const wrong = wire.request('tasks/update', {
      taskId,
      inputResponses: { trip: accept({ flight: 'rocket', email: 'a@b.example' }) },
    })
    await expect(wrong).rejects.toMatchObject({ code: -32602 })
    await wire.request('tasks/update', { taskId, inputResponses: { other: accept({}) } })
    const still = await wire.request('tasks/get', { taskId })
    expect(Object.keys(still['inputRequests'])).toEqual(['trip'])

    await wire.request('tasks/update', {
      taskId,
      inputResponses: { trip: accept({ flight: 'late', email: 'a@b.example' }) },
    })
    const second = await until(wire, taskId, (task) => asks(task) && 'payment' in task['inputRequests'])
    expect(Object.keys(second['inputRequests'])).toEqual(['payment'])
    await wire.request('tasks/update', { taskId, inputResponses: { payment: accept({ confirm: true }) } })
    expect(textOf(await finished(wire, taskId))).toContain('Booked: 20:50')
  })

  test('a declined question ends the work without an error, a cancelled one ends the task', async () => {
    const declined = await createTask(wire, 'book_trip', { destination: 'Rome', seconds: 0 })
    await until(wire, declined, ({ status }) => status === 'input_required')
    await wire.request('tasks/update', { taskId: declined, inputResponses: { trip: { action: 'decline' } } })
    expect(textOf(await finished(wire, declined))).toContain('nothing was booked')

    const left = await createTask(wire, 'book_trip', { destination: 'Bern', seconds: 0 })
    await until(wire, left, ({ status }) => status === 'input_required')
    await wire.request('tasks/cancel', { taskId: left })
    expect(await finished(wire, left)).toMatchObject({ status: 'cancelled' })
  })

  test('the parts of a trip are booked at once: one asks, one is not to be had, and the others do not mind', async () => {
    const book = (part: string) => createTask(wire, 'book_part', { part, destination: 'Rome', seconds: 0 })
    const [flight, hotel, car, restaurant] = await Promise.all(['flight', 'hotel', 'car', 'restaurant'].map(book))
    const asking = await until(wire, flight!, ({ status }) => status === 'input_required')
    expect(Object.keys(asking['inputRequests'])).toEqual(['confirm'])
    expect(await finished(wire, car!)).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(textOf(await finished(wire, hotel!))).toContain('Hotel booked')
    expect(textOf(await finished(wire, restaurant!))).toContain('Table booked')
    await wire.request('tasks/update', { taskId: flight, inputResponses: { confirm: accept({ confirm: true }) } })
    expect(await finished(wire, flight!)).toMatchObject({
      result: { structuredContent: { part: 'flight', destination: 'Rome', booked: true } },
    })

    const declined = await book('flight')
    await until(wire, declined, ({ status }) => status === 'input_required')
    await wire.request('tasks/update', { taskId: declined, inputResponses: { confirm: { action: 'decline' } } })
    expect(textOf(await finished(wire, declined))).toContain('nothing was booked')
    await expect(call('book_part', { part: 'moon', destination: 'Rome' })).rejects.toMatchObject({ code: -32602 })
  })

  test('a tool that reports an error completes, a call that breaks down fails', async () => {
    const reported = await finished(wire, await createTask(wire, 'import_contacts', { seconds: 0.05, rows: 10 }))
    expect(reported).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { brokenRow: 7 } },
    })
    const broken = await finished(wire, await createTask(wire, 'sync_calendar', { seconds: 0.05 }))
    expect(broken).toMatchObject({ status: 'failed', error: { code: -32603, data: { upstream: 502 } } })
    expect(broken).not.toHaveProperty('result')
  })

  test('bad arguments and unknown tools are refused before there is a task', async () => {
    await expect(call('start_research', {})).rejects.toMatchObject({ code: -32602, data: { reason: 'bad_arguments' } })
    await expect(call('start_research', { query: 'x', seconds: 'soon' })).rejects.toMatchObject({ code: -32602 })
    await expect(call('no_such_tool', {})).rejects.toMatchObject({ code: -32602, data: { reason: 'unknown_tool' } })
  })

  test('calls with one idempotency key share one task', async () => {
    const args = { seconds: 60, label: 'once' }
    const first = await createTask(wire, 'slow_compute', args, { idempotencyKey: 'key-1' })
    expect(await createTask(wire, 'slow_compute', args, { idempotencyKey: 'key-1' })).toBe(first)
    const other = call('slow_compute', { seconds: 61 }, { idempotencyKey: 'key-1' })
    await expect(other).rejects.toMatchObject({ code: -32602, data: { reason: 'idempotency_key_reused' } })
    await wire.request('tasks/cancel', { taskId: first })
    expect(await createTask(wire, 'slow_compute', args, { idempotencyKey: 'key-1' })).toBe(first)

    const byArgument = { ...args, idempotencyKey: 'key-2' }
    const second = await createTask(wire, 'slow_compute', byArgument)
    expect(second).not.toBe(first)
    expect(await createTask(wire, 'slow_compute', byArgument)).toBe(second)
    await wire.request('tasks/cancel', { taskId: second })
  })

  test('a subscription without a task that is known ends at once', async () => {
    const messages: Json[] = []
    for await (const message of wire.listen([UNKNOWN])) messages.push(message)
    expect(messages).toHaveLength(2)
    expect(messages[0]?.['params'].notifications.taskIds).toEqual([])
  })
})
