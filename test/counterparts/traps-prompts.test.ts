import type { JsonObject } from '@mcp-task-machine/core'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { connect, type Connected } from './support/clients.ts'
import { cleanUp } from './support/pairs.ts'
import { programs, urlOf } from './support/programs.ts'
import { answerPrompts, follow, run, textOf, viewWhere } from './support/runs.ts'
import type { Json, Line } from './support/wire.ts'

cleanUp()
const RELATED = 'io.modelcontextprotocol/related-task'
const ambiguous = ['simulate-research-query', { topic: 'python', ambiguous: true }] as const
const snake = { action: 'accept', content: { interpretation: 'snake' } }

/** The one prompt on the wire, and our one answer to it. */
async function asked({ wire }: Connected) {
  const prompts = wire.received('elicitation/create')
  expect(prompts).toHaveLength(1)
  const { via, message } = prompts[0]!
  const answers = (line: Line) =>
    line.from === 'client' && line.message['id'] === message['id'] && !line.message['method']
  const answer = (await wire.line(answers)).message['result']
  expect(wire.lines.filter(answers)).toHaveLength(1)
  return { via, message, answer }
}

/** Resolves once the server can send what belongs to no request. */
const streamOpen = ({ wire }: Connected) => wire.line(({ via, status }) => via === 'GET' && status === 200)

/** Gives the app an answer of its own to every prompt. */
function answerAsApp({ client }: Connected, answer: JsonObject) {
  const handle = 'listen' in client ? 'elicitation/create' : ElicitRequestSchema
  ;(client as Json)['setRequestHandler'](handle, () => answer)
}

describe.concurrent.each(['SDK 1.x', 'SDK 2.x'] as const)('what surprises in prompts, with %s', (kind) => {
  test('the prompt comes on the stream of tasks/result, with the id 0', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const runner = run(here, ambiguous[0])
    const { task } = await runner.fire(ambiguous[1])
    await answerPrompts(runner, snake)
    const { via, message, answer } = await asked(here)
    const related = { [RELATED]: { taskId: task.taskId } }
    expect({ via, id: message['id'], _meta: message['params']._meta }).toEqual({
      via: 'tasks/result',
      id: 0,
      _meta: related,
    })
    expect(answer).toEqual({ ...snake, _meta: related })
    expect(textOf(await runner.result())).toContain('snake')
  })

  test('the prompt comes on the stream that belongs to no request', async () => {
    const here = await connect(kind, await urlOf(programs.sdkInteractive))
    await streamOpen(here)
    const runner = run(here, 'confirm_delete')
    const { task } = await runner.fire({ filename: 'a.txt' })
    await answerPrompts(runner, { action: 'accept', content: { confirm: true } })
    const { via, message } = await asked(here)
    expect({ via, _meta: message['params']._meta }).toEqual({
      via: 'GET',
      _meta: { [RELATED]: { taskId: task.taskId } },
    })
    expect(textOf(await runner.result())).toBe("Deleted 'a.txt'")
  })

  test('the prompt comes before the handle, and names no task', async () => {
    const here = await connect(kind, await urlOf(programs.sdkHttp))
    await streamOpen(here)
    const runner = run(here, 'collect-user-info-task')
    const fired = runner.fire({ infoType: 'contact' })
    const content = { name: 'Ada', email: 'ada@example.com' }
    const view = await answerPrompts(runner, { action: 'accept', content })
    expect(view.phase).toBe('input_required')
    await fired
    const { via, message, answer } = await asked(here)
    const { lines } = here.wire
    const prompt = lines.findIndex((line) => line.message === message)
    expect(via).toBe('GET')
    expect(message['params']._meta).toBeUndefined()
    expect(prompt).toBeLessThan(lines.indexOf(here.wire.answer(here.wire.sent('tools/call')[0]!)!))
    expect(answer).toEqual({ action: 'accept', content })
    expect(textOf(await runner.result())).toContain('"email": "ada@example.com"')
  })

  test('the status says twice that input is required', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    await streamOpen(here)
    const runner = run(here, ambiguous[0])
    const { phases, views } = follow(runner)
    await runner.fire(ambiguous[1])
    await answerPrompts(runner, snake)
    await runner.result()
    const statuses = here.wire.received('notifications/tasks/status').map(({ message }) => message['params'].status)
    expect(statuses.filter((status) => status === 'input_required').length).toBeGreaterThan(1)
    expect(phases).toEqual(['submitting', 'working', 'input_required', 'working', 'completed'])
    expect(new Set(views.flatMap(({ inputRequests }) => Object.keys(inputRequests))).size).toBe(1)
    expect((await asked(here)).answer).toMatchObject(snake)
  })

  test('tasks/result answers long after the task has ended', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    await streamOpen(here)
    const runner = run(here, ambiguous[0])
    await runner.fire(ambiguous[1])
    await answerPrompts(runner, { action: 'decline' })
    expect(textOf(await runner.result())).toContain('User declined')
    const [fetched, ...more] = here.wire.sent('tasks/result')
    expect(more).toEqual([])
    const { lines } = here.wire
    const ended = lines.findIndex(({ message }) => message['params']?.status === 'completed')
    expect(ended).toBeGreaterThan(0)
    expect(ended).toBeLessThan(lines.indexOf(here.wire.answer(fetched!)!))
  })

  test('a prompt can be for a model', async () => {
    const here = await connect(kind, await urlOf(programs.sdkInteractive))
    await streamOpen(here)
    const runner = run(here, 'write_haiku')
    await runner.fire({ topic: 'tides' })
    const { inputRequests } = await answerPrompts(runner, {
      role: 'assistant',
      model: 'by-hand',
      content: { type: 'text', text: 'The sea comes and goes' },
    })
    expect(Object.values(inputRequests)).toMatchObject([{ kind: 'sampling', method: 'sampling/createMessage' }])
    expect(textOf(await runner.result())).toBe('Haiku:\nThe sea comes and goes')
  })

  test('a declined prompt, and one that is dismissed, are answers too', async () => {
    const url = await urlOf(programs.sdkInteractive)
    for (const action of ['decline', 'cancel']) {
      const here = await connect(kind, url)
      await streamOpen(here)
      const runner = run(here, 'confirm_delete')
      await runner.fire({ filename: 'a.txt' })
      await answerPrompts(runner, { action })
      expect(textOf(await runner.result())).toBe('Deletion cancelled')
    }
  })

  test('several prompts at once and one after the other', async () => {
    const here = await connect(kind, programs.twoGenerationsOverStdio)
    const runner = run(here, 'ask')
    await runner.fire({ keys: [['name', 'town'], ['age']] })
    const { inputRequests } = await viewWhere(runner, (view) => Object.keys(view.inputRequests).length === 2)
    const word = ({ params }: (typeof inputRequests)[string]) => String(params['message']).replace('?', '')
    for (const [key, request] of Object.entries(inputRequests))
      await runner.respond({ [key]: { action: 'accept', content: { [word(request)]: `my ${word(request)}` } } })
    await viewWhere(runner, (view) => Object.values(view.inputRequests).some((request) => word(request) === 'age'))
    await answerPrompts(runner, { action: 'accept', content: { age: '7' } })
    expect(await runner.result()).toMatchObject({
      data: {
        name: { action: 'accept', content: { name: 'my name' } },
        town: { action: 'accept', content: { town: 'my town' } },
        age: { action: 'accept', content: { age: '7' } },
      },
    })
    expect(here.wire.sent('tasks/result')).toHaveLength(1)
  })

  test('a cancel while a prompt is open takes the prompt away', async () => {
    const here = await connect(kind, await urlOf(programs.everythingOverHttp))
    const runner = run(here, ambiguous[0])
    await runner.fire(ambiguous[1])
    await viewWhere(runner, ({ canRespond }) => canRespond)
    await runner.cancel()
    await expect(runner.result()).rejects.toMatchObject({ kind: 'cancelled' })
    expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true, inputRequests: {} })
    expect((await asked(here)).answer).toMatchObject({ action: 'cancel' })
  })

  test('a prompt that names no task is the app’s, if the app answers prompts itself', async () => {
    const here = await connect(kind, await urlOf(programs.sdkHttp))
    await streamOpen(here)
    const content = { name: 'App', email: 'app@example.com' }
    answerAsApp(here, { action: 'accept', content })
    const runner = run(here, 'collect-user-info-task')
    const { phases } = follow(runner)
    await runner.fire({ infoType: 'contact' })
    expect(textOf(await runner.result())).toContain('"email": "app@example.com"')
    expect((await asked(here)).answer).toMatchObject({ action: 'accept', content })
    expect(phases).toEqual(['submitting', 'working', 'completed'])
  })

  test('a prompt of our task is ours, whoever else answers prompts', async () => {
    const here = await connect(kind, await urlOf(programs.sdkInteractive))
    await streamOpen(here)
    answerAsApp(here, { action: 'decline' })
    const runner = run(here, 'confirm_delete')
    await runner.fire({ filename: 'a.txt' })
    await answerPrompts(runner, { action: 'accept', content: { confirm: true } })
    expect(textOf(await runner.result())).toBe("Deleted 'a.txt'")
  })
})
