import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTaskRunner, jobTools, type JsonObject } from '../../src/index.ts'
import {
  createScriptedServer,
  reportTools,
  type Fault,
  type Schedule,
  type ScheduleStep,
} from '../../src/testing/index.ts'

test('whatever is given is a schedule, or is refused with a sentence', () => {
  const anything = fc.oneof(fc.anything(), fc.array(fc.oneof(fc.anything(), fc.object({ maxDepth: 1 }))))
  const check = (given: unknown) => {
    try {
      createScriptedServer(given as Schedule)
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toMatch(/^Expected .*\.$/)
    }
  }
  fc.assert(fc.property(anything, check), { numRuns: 2000 })
})

test.each([
  ['a list with holes', Array(2)],
  ['a big integer', [{ after: 5n }]],
  ['a symbol', [{ status: Symbol('completed') }]],
  ['a step of steps', [[{ status: 'completed' }]]],
])('%s is refused', (_, given) => {
  expect(() => createScriptedServer(given as Schedule)).toThrow(/^Expected .*\.$/)
})

const after = fc.integer({ min: 0, max: 3000 })
const said = fc.record({
  after,
  message: fc.string(),
  progress: fc.integer({ min: -10, max: 200 }),
  push: fc.boolean(),
})
const faults: readonly Fault[] = [
  'reset',
  'gone',
  'unauthorized',
  'unavailable',
  'session-lost',
  'malformed',
  { code: -32603 },
]
const fault = fc.record({ after, fault: fc.constantFrom(...faults), times: fc.integer({ min: 1, max: 4 }) })
const connection = fc.record({ after, connection: fc.constantFrom('open' as const, 'closed' as const) })
const ask = { a: { method: 'elicitation/create', params: {} } }
const question = fc.record({ after, status: fc.constant('input_required'), ask: fc.constant(ask) })
const end = fc.record({ after, status: fc.constantFrom('completed', 'failed') })
const acts = ['cancel', 'retry', 'resume', 'respond', 'detach', 'refresh', 'open'] as const

const story = (steps: fc.Arbitrary<ScheduleStep>) =>
  fc
    .tuple(
      fc.array(steps, { maxLength: 6 }),
      fc.option(end),
      fc.array(fc.record({ at: after, act: fc.constantFrom(...acts) })),
    )
    .map(([first, last, done]) => ({ schedule: last ? [...first, last] : first, acts: done }))

test.each(['extension', 'augmented', 'plain', 'jobTools'] as const)(
  'whatever a schedule does to a runner and a person to both, nothing breaks (%s)',
  async (flavour) => {
    const steps =
      flavour === 'jobTools' ? fc.oneof(said, fault, connection) : fc.oneof(said, fault, connection, question)
    await fc.assert(
      fc.asyncProperty(story(steps), async ({ schedule, acts: done }) => {
        const server = createScriptedServer(schedule, {
          flavour,
          onCancel: flavour === 'plain' ? [] : [{ status: 'cancelled' }],
        })
        const protocol = flavour === 'jobTools' ? jobTools(reportTools) : 'auto'
        const runner = createTaskRunner({ connection: server.connection, tool: reportTools.start, protocol })
        const swallow = (promise: Promise<unknown>) => void promise.catch(() => {})
        swallow(runner.fire())
        for (const { at, act } of done) {
          await server.clock.advance(at)
          const open = Object.keys(runner.getSnapshot().inputRequests)
          const answers: Record<string, JsonObject> = Object.fromEntries(open.map((key) => [key, { action: 'accept' }]))
          if (act === 'open') server.open()
          else if (act === 'detach') runner.detach()
          else if (act === 'respond') swallow(runner.respond(answers))
          else swallow(runner[act]())
        }
        await server.clock.advance(600_000)
        const view = runner.getSnapshot()
        expect(JSON.parse(JSON.stringify(view))).toMatchObject({ phase: view.phase })
        for (const { at } of server.requests) expect(at).toBeLessThanOrEqual(server.clock.now())
        runner.dispose()
        await server.clock.advance(600_000)
        expect(server.clock.pending).toBe(0)
      }),
      { numRuns: 30 },
    )
  },
  // Many runs: a busy machine needs a while.
  30_000,
)
