import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createTaskRunner, type JsonObject } from '../../src/index.ts'
import { flat, payload, statusPush, wrapped } from '../support/augmented.ts'
import {
  createFakeConnection,
  elicitation,
  relatedTo,
  settle,
  type Asked,
  type Sent,
} from '../support/fake-connection.ts'
import { containedTests, expectClear, ignore, junk } from '../support/hostile.ts'
import { broken, hour, openKeys } from './support.ts'

containedTests()

const status = fc.constantFrom('working', 'input_required', 'completed', 'failed', 'cancelled', 'paused', 'expired')
const error = fc.constantFrom<object>(
  broken,
  ...[-32602, -32603, -32601, -32600, -32800, -32001, 7].map((code) => ({ code, message: 'no' })),
  ...[401, 404, 429, 503].map((code) => ({ status: code, message: 'an HTTP error' })),
  { reason: 'closed', message: 'closed' },
  { code: -32042, message: 'consent', data: { elicitations: [{ mode: 'url', url: 'https://tiles.example' }, null] } },
)
const odd = fc.constantFrom(...junk.map(([, value]) => value))
const taskId = fc.constantFrom('tk-1', 'tk-1', 'tk-1', 'tk-2', '__proto__')

/** What a server may answer to whatever it was asked. */
const answer = fc.oneof(
  { weight: 4, arbitrary: fc.record({ as: fc.constant('wrapped' as const), status, taskId }) },
  { weight: 8, arbitrary: fc.record({ as: fc.constant('flat' as const), status, taskId }) },
  { weight: 4, arbitrary: fc.record({ as: fc.constant('payload' as const), isError: fc.boolean(), taskId }) },
  { weight: 3, arbitrary: fc.record({ as: fc.constant('error' as const), error }) },
  { weight: 1, arbitrary: fc.record({ as: fc.constant('odd' as const), odd }) },
)
type Answer = typeof answer extends fc.Arbitrary<infer Value> ? Value : never

function give(sent: Sent, say: Answer): Promise<void> {
  if (say.as === 'error') return sent.fail(say.error)
  if (say.as === 'odd') return sent.answer(say.odd as JsonObject)
  if (say.as === 'wrapped') return sent.answer(wrapped(say))
  if (say.as === 'flat') return sent.answer(flat(say.status, say))
  return sent.answer(payload('done', { isError: say.isError, _meta: relatedTo(say.taskId) }))
}

const method = fc.constantFrom('elicitation/create', 'elicitation/create', 'sampling/createMessage', 'roots/list', 'x')
const verbs = ['fire', 'cancel', 'refresh', 'resume', 'reset', 'detach', 'retry', 'watch', 'unwatch', 'move'] as const
/** What another run on the same connection does that follows the same task. */
const twinVerbs = ['join', 'cancelTwin', 'respondTwin', 'leave'] as const

/** What happens next. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(5), say: answer }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 250, 1000, 5000, 40_000) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('push' as const), status, taskId }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      method,
      message: fc.constantFrom('one?', 'two?'),
      taskId: fc.option(taskId),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const), which: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('respond' as const), all: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom(...verbs) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...twinVerbs) }) },
)

test('whatever a server, a person and the network do, a run stays clear, its requests are bounded, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      // What a failed case left must not spoil the smaller ones that are tried after it.
      vi.clearAllTimers()
      const connections = [createFakeConnection({ generation: '2025-11-25' })]
      const connection = () => connections.at(-1)!
      const runner = createTaskRunner({ connection: connection(), tool: 'tile_city', cancelGrace: 5000 })
      const run = { runner, connection: connection(), view: () => runner.getSnapshot() }
      let unwatch = runner.subscribe(() => {})
      let twin = createTaskRunner({ connection: connection(), tool: 'tile_city' })
      const answered = new Set<Sent>()
      const asked: { readonly prompt: Asked; withdrawn?: boolean }[] = []
      const sent = () => connections.flatMap((each) => each.sent)
      let calls = 1
      ignore(runner.fire({ city: 'Turku' }))

      for (const next of steps) {
        const before = sent().length
        const isOver = run.view().isTerminal
        if (next.do === 'wait') {
          await vi.advanceTimersByTimeAsync(next.ms)
          if (isOver && !twin.getSnapshot().isWorking) expect(sent()).toHaveLength(before)
          expect(sent().length - before).toBeLessThanOrEqual(20 + next.ms / 100)
        } else if (next.do === 'answer') {
          const open = sent().filter((request) => !answered.has(request))
          const request = open[next.which % Math.max(1, open.length)]
          if (!request) continue
          answered.add(request)
          if (request.method === 'tools/call') calls++
          await give(request, next.say)
        } else if (next.do === 'push') connection().push(statusPush, flat(next.status, { taskId: next.taskId }))
        else if (next.do === 'ask') {
          const prompt = { ...elicitation(next.message), method: next.method }
          asked.push({ prompt: await connection().ask(prompt, next.taskId) })
        } else if (next.do === 'withdraw') {
          const one = asked[next.which]
          if (!one) continue
          const { told } = one.prompt
          await one.prompt.withdraw()
          one.withdrawn ??= told === undefined
        } else if (next.do === 'respond') {
          const keys = openKeys(run).slice(0, next.all ? undefined : 1)
          ignore(runner.respond(Object.fromEntries(keys.map((key) => [key, { action: 'accept' }]))))
        } else if (next.do === 'close') connection().close()
        else if (next.do === 'join') {
          twin.dispose()
          twin = createTaskRunner({ connection: connection(), tool: 'tile_city' })
          if (runner.reference?.taskId) ignore(twin.resume(runner.reference))
        } else if (next.do === 'cancelTwin') ignore(twin.cancel())
        else if (next.do === 'respondTwin') {
          const keys = Object.keys(twin.getSnapshot().inputRequests)
          ignore(twin.respond(Object.fromEntries(keys.map((key) => [key, { action: 'decline' }]))))
        } else if (next.do === 'leave') twin.dispose()
        else if (next.do === 'watch') unwatch = runner.subscribe(() => {})
        else if (next.do === 'unwatch') unwatch()
        else if (next.do === 'move') {
          connections.push(createFakeConnection({ generation: '2025-11-25' }))
          runner.useConnection(connection())
        } else if (next.do === 'fire' || next.do === 'retry') {
          calls++
          ignore(runner[next.do]())
        } else if (next.do === 'reset' || next.do === 'detach') runner[next.do]()
        else ignore(runner[next.do]())
        await settle()
        expectClear(run)
        expect(sent().filter(({ method: name }) => name === 'tools/call').length).toBeLessThanOrEqual(calls)
        for (const { prompt, withdrawn } of asked) if (withdrawn) expect(prompt.told).toBeUndefined()
      }

      runner.dispose()
      twin.dispose()
      await settle()
      for (const each of connections) expect(each.listeners).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
      for (const request of sent()) await request.answer(wrapped({ status: 'completed' }))
      await vi.advanceTimersByTimeAsync(hour)
      for (const each of connections) expect(each.listeners).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
    }),
    { numRuns: 200 },
  )
}, 60_000)
