import fc from 'fast-check'
import { createActor } from 'xstate'
import { describe, expect, test } from 'vitest'
import { createTaskMachine, toTaskView, type TaskEvent } from '../../src/index.ts'
import { augmentedServer } from '../support/augmented-says.ts'
import { askingOps, optionSets, type Op, type Options } from '../support/ops.ts'
import { endpoint, modern, secrets, type Server } from '../support/says.ts'
import { createManualClock, createWorld, drain, type World } from '../support/world.ts'

const event = (op: Op, open: readonly string[]): TaskEvent | null => {
  switch (op.do) {
    case 'fire':
      return { type: 'fire', args: { city: secrets.argument } }
    case 'respond':
      return { type: 'respond', answers: Object.fromEntries(op.keys.map((key) => [key, { action: 'accept' }])) }
    case 'answerOpen':
      return {
        type: 'respond',
        answers: Object.fromEntries(open.slice(0, op.count).map((key) => [key, { action: 'accept' }])),
      }
    case 'cancel':
    case 'retry':
    case 'resume':
    case 'refresh':
    case 'detach':
    case 'reset':
    case 'watch':
    case 'unwatch':
      return { type: op.do }
    default:
      return null
  }
}

function start(world: World, options: Options, snapshot?: unknown) {
  const machine = createTaskMachine({ connection: world, tool: 'tile_city', ...options })
  return createActor(machine, snapshot ? { snapshot: snapshot as never } : {}).start()
}

async function play(server: Server, world: World, actor: ReturnType<typeof start>, schedule: readonly Op[]) {
  for (const op of schedule) {
    if (op.do === 'advance') await world.clock.advance(op.ms)
    if (op.do === 'answer') {
      const request = world.open[op.which % Math.max(1, world.open.length)]
      request?.settle(server.answerTo(request, op.say))
    }
    if (op.do === 'push') world.push('notifications/tasks', server.taskOf(op.say, `${secrets.id}-0`))
    if (op.do === 'ask')
      world.ask(
        { method: 'elicitation/create', params: { text: op.text } },
        op.about === 'own' ? `${secrets.id}-0` : null,
      )
    const open = Object.keys(actor.getSnapshot().context.inputRequests)
    const sent = event(op, open)
    if (sent) actor.send(sent)
    await drain()
    expect(actor.getSnapshot().status).toBe('active')
    toTaskView(actor.getSnapshot())
  }
}

/** What another process would read back. */
const throughJson = (actor: ReturnType<typeof start>): unknown =>
  JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))

const passive = askingOps().filter(({ do: what }) => what !== 'fire' && what !== 'retry' && what !== 'adopt')

describe.each([modern, augmentedServer])('$generation', (server) => {
  test('a run that is restored at any moment never calls the tool again, shows the same, and does not throw', async () => {
    await fc.assert(
      fc.asyncProperty(
        optionSets,
        fc.array(askingOps(), { maxLength: 25 }),
        fc.array(passive, { maxLength: 20 }),
        async (options, before, after) => {
          const clock = createManualClock()
          const world = createWorld(clock, endpoint, server.generation)
          const actor = start(world, options)
          await play(server, world, actor, [{ do: 'fire' }, ...before])
          const saved = throughJson(actor)
          const shown = toTaskView(actor.getSnapshot())
          actor.stop()
          await drain()
          expect(world.clock.pending).toBe(0)

          const next = createWorld(clock, endpoint, server.generation)
          const restored = start(next, options, saved)
          await drain()
          const view = toTaskView(restored.getSnapshot())
          if (shown.isTerminal || shown.isIdle) expect(JSON.stringify(view)).toBe(JSON.stringify(shown))
          else expect(view.task?.taskId).toBe(shown.task?.taskId)
          await play(server, next, restored, after)
          await next.clock.advance(120_000)
          // Calls that were queued are made by whoever goes on with the run; nothing else is.
          if (options.whenBusy !== 'queue') expect(next.sent.map(({ method }) => method)).not.toContain('tools/call')
          restored.stop()
          await drain()
          expect(next.clock.pending).toBe(0)
          expect(next.listeners).toBe(0)
        },
      ),
      { numRuns: 250 },
    )
  }, 60_000)

  test('a snapshot that is saved twice in a row says the same', async () => {
    await fc.assert(
      fc.asyncProperty(optionSets, fc.array(askingOps(), { maxLength: 25 }), async (options, before) => {
        const clock = createManualClock()
        const world = createWorld(clock, endpoint, server.generation)
        const actor = start(world, options)
        await play(server, world, actor, [{ do: 'fire' }, ...before])
        const once = throughJson(actor)
        expect(throughJson(actor)).toEqual(once)
        expect(JSON.parse(JSON.stringify(once))).toEqual(once)
        actor.stop()
      }),
      { numRuns: 100 },
    )
  }, 60_000)
})
