import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../examples/server/src/index.ts'
import { httpWire } from './support/http-wire.ts'
import { httpSession, pushOf, questionOf, stdioSession, taskOf, type Heard, type Session } from './support/session.ts'
import type { Json } from './support/wire.ts'

const related = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } })
const accept = (content: Json) => ({ action: 'accept', content })
const resultOf = (session: Session, taskId: string) => session.request('tasks/result', { taskId })
const textOf = async (result: Promise<Json>) => (await result)['content'][0].text

/** Answers a question of the server, as a client that keeps it with its task. */
function answer(session: Session, { message }: Heard, result: Json): Promise<void> {
  return session.send({ id: message['id'], result: { ...result, _meta: message['params']._meta } })
}

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: true })
})
afterAll(() => server.close())

describe.each(['http', 'stdio'] as const)('questions of a 2025-11-25 task over %s', (transport) => {
  let session: Session
  beforeAll(async () => {
    session = transport === 'http' ? await httpSession(server.url) : await stdioSession(['--fixtures'])
  })
  afterAll(() => session?.leave())

  test('are put on the stream of the open tasks/result, one after another, and their answers go to the work', async () => {
    const taskId = await taskOf(session, 'book_trip', { destination: 'Oslo', seconds: 0.1 })
    const asking = await pushOf(session, taskId, 'input_required')
    expect(asking).not.toHaveProperty('inputRequests')
    const result = textOf(resultOf(session, taskId))
    const first = await questionOf(session, taskId)
    expect(first.stream).toBe(transport === 'http' ? 'tasks/result' : 'stdio')
    expect(first.message).toMatchObject({
      params: { mode: 'form', message: 'Which flight to Oslo?', _meta: related(taskId) },
    })
    const { properties } = first.message['params'].requestedSchema
    expect(Object.keys(properties)).toEqual(['flight', 'travellers', 'email', 'insurance'])
    await answer(session, first, accept({ flight: 'late', email: 'a@b.example' }))
    const second = await questionOf(session, taskId, [first.message])
    await answer(session, second, accept({ confirm: true }))
    expect(await result).toContain('Booked: 20:50')
    expect(await session.request('tasks/get', { taskId })).toMatchObject({ status: 'completed' })
  })

  test.each(['decline', 'cancel'])('end the work in peace when the answer is to %s', async (action) => {
    const taskId = await taskOf(session, 'book_trip', { destination: 'Rome', seconds: 0 })
    const result = textOf(resultOf(session, taskId))
    await answer(session, await questionOf(session, taskId), { action })
    expect(await result).toContain('nothing was booked')
  })

  test('are put again, with the reason, when an answer does not fit; a client that never learns fails the task', async () => {
    const taskId = await taskOf(session, 'book_trip', { destination: 'Bern', seconds: 0 })
    const result = resultOf(session, taskId)
    result.catch(() => {})
    const asked: Json[] = []
    for (let tries = 0; tries < 3; tries++) {
      const question = await questionOf(session, taskId, asked)
      asked.push(question.message)
      expect(question.message['params'].message).toMatch(
        tries === 0 ? /^Which flight to Bern\?$/ : /does not fit its form/,
      )
      await answer(session, question, accept({ flight: 'rocket', email: 'a@b.example' }))
    }
    await expect(result).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('does not fit') })
    expect(await session.request('tasks/get', { taskId })).toMatchObject({ status: 'failed' })
  })

  test.each([
    ['an error', { error: { code: -32603, message: 'The window is gone.' } }, 'The window is gone.'],
    ['nonsense', { result: { action: 'shrug' } }, 'could not be put to anybody'],
  ])('that a client answers with %s fail the task', async (_what, reply, sentence) => {
    const taskId = await taskOf(session, 'confirm_delete', { filename: 'a.txt' })
    const result = resultOf(session, taskId)
    result.catch(() => {})
    const { message } = await questionOf(session, taskId)
    await session.send({ id: message['id'], ...reply })
    await expect(result).rejects.toMatchObject({ code: -32603, message: expect.stringContaining(sentence) })
  })

  test('can be open at the same time and are answered one by one', async () => {
    const taskId = await taskOf(session, 'multi_input', {})
    const result = textOf(resultOf(session, taskId))
    const one = await questionOf(session, taskId)
    const other = await questionOf(session, taskId, [one.message])
    const nameFor = ({ message }: Heard) => accept({ name: message['params'].message === 'Who?' ? 'Ada' : 'Grace' })
    await answer(session, other, nameFor(other))
    await answer(session, one, nameFor(one))
    expect(await result).toBe('Ada and Grace')
  })

  test('of a tool that asks before its task in the other generation are put by the task itself', async () => {
    const taskId = await taskOf(session, 'test_tool_with_task', {})
    const result = textOf(resultOf(session, taskId))
    await answer(session, await questionOf(session, taskId), accept({ name: 'Ada' }))
    expect(await result).toBe('Hello, Ada!')
  })

  test('are withdrawn when the task is cancelled', async () => {
    const taskId = await taskOf(session, 'confirm_delete', { filename: 'b.txt' })
    const result = resultOf(session, taskId)
    result.catch(() => {})
    const { message } = await questionOf(session, taskId)
    await session.request('tasks/cancel', { taskId })
    await session.first(
      ({ method, params }) => method === 'notifications/cancelled' && params.requestId === message['id'],
    )
    await expect(result).rejects.toMatchObject({ code: -32603 })
  })

  test('are put again to whoever waits anew, after the client has stopped waiting', async () => {
    const taskId = await taskOf(session, 'confirm_delete', { filename: 'c.txt' })
    void resultOf(session, taskId).catch(() => {})
    const first = await questionOf(session, taskId)
    // Over HTTP the stream is cut in the test below; this is the polite way, which stdio has too.
    const id = 77_000 + (transport === 'http' ? 1 : 2)
    void session.request('tasks/result', { taskId }, { id }).catch(() => {})
    const second = await questionOf(session, taskId, [first.message])
    await session.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await session.first(
      ({ method, params }) => method === 'notifications/cancelled' && params.requestId === second.message['id'],
    )
    const result = textOf(resultOf(session, taskId))
    const third = await questionOf(session, taskId, [first.message, second.message])
    await answer(session, third, accept({ confirm: true }))
    expect(await result).toBe('c.txt deleted.')
  })
})

test('a question whose stream has been cut is put again on the next one', async () => {
  const session = await httpSession(server.url)
  const taskId = await taskOf(session, 'confirm_delete', { filename: 'd.txt' })
  const cut = new AbortController()
  const lost = session.request('tasks/result', { taskId }, { signal: cut.signal })
  const first = await questionOf(session, taskId)
  cut.abort()
  await expect(lost).rejects.toMatchObject({ name: 'AbortError' })
  expect(await session.request('tasks/get', { taskId })).toMatchObject({ status: 'input_required' })
  const result = textOf(resultOf(session, taskId))
  await answer(session, await questionOf(session, taskId, [first.message]), accept({ confirm: false }))
  expect(await result).toBe('d.txt kept.')
  await session.leave()
})

test('a question can be answered when its stream is lost', async () => {
  const session = await httpSession(server.url)
  const taskId = await taskOf(session, 'confirm_delete', { filename: 'd.txt' })
  const cut = new AbortController()
  void session.request('tasks/result', { taskId }, { signal: cut.signal }).catch(() => {})
  const question = await questionOf(session, taskId)
  cut.abort()
  await answer(session, question, accept({ confirm: true }))
  expect(await textOf(resultOf(session, taskId))).toBe('d.txt deleted.')
  await session.leave()
})

test('a question answered through the other generation is withdrawn here', async () => {
  const session = await httpSession(server.url)
  const taskId = await taskOf(session, 'confirm_delete', { filename: 'e.txt' })
  const result = textOf(resultOf(session, taskId))
  const { message } = await questionOf(session, taskId)
  const confirm = accept({ confirm: true })
  await httpWire(server.url).request('tasks/update', { taskId, inputResponses: { confirm } })
  expect(await result).toBe('e.txt deleted.')
  await session.first(
    ({ method, params }) => method === 'notifications/cancelled' && params.requestId === message['id'],
  )
  await session.leave()
})

test('a client that can ask nobody: its task fails with a sentence, another one it only waits for does not', async () => {
  const mute = await httpSession(server.url, { capabilities: {} })
  const taskId = await taskOf(mute, 'confirm_delete', { filename: 'f.txt' })
  const sentence = { code: -32603, message: expect.stringContaining('does not support elicitation') }
  await expect(resultOf(mute, taskId)).rejects.toMatchObject(sentence)
  expect(await pushOf(mute, taskId, 'failed')).toMatchObject({ statusMessage: sentence.message })
  const plainly = mute.request('tools/call', { name: 'book_trip', arguments: { destination: 'Oslo', seconds: 0 } })
  await expect(plainly).rejects.toMatchObject(sentence)

  const session = await httpSession(server.url)
  const other = await taskOf(session, 'confirm_delete', { filename: 'g.txt' })
  await pushOf(session, other, 'input_required')
  const overheard = textOf(resultOf(mute, other))
  const result = textOf(resultOf(session, other))
  await answer(session, await questionOf(session, other), accept({ confirm: true }))
  expect(await result).toBe('g.txt deleted.')
  expect(await overheard).toBe('g.txt deleted.')
  await Promise.all([mute.leave(), session.leave()])
})
