import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TaskError } from '../../src/index.ts'
import { errorKinds, phases, realTick } from '../support/hostile.ts'
import { secrets } from '../support/says.ts'
import { beginsAnew, optionSets, schedules } from '../support/ops.ts'
import { runSchedule } from '../support/schedule.ts'

const escapes: unknown[] = []
const note = (error: unknown) => void escapes.push(error)
beforeEach(() => {
  escapes.length = 0
  process.on('unhandledRejection', note)
  vi.useFakeTimers()
})
afterEach(async () => {
  await realTick()
  process.off('unhandledRejection', note)
  vi.useRealTimers()
  expect(escapes).toEqual([])
})

const runs = { numRuns: 400 }
const timeout = 60_000

describe('whatever server and user do, in whatever order', () => {
  test(
    '1. every promise is settled once at most, a run ends once, and only the user leads on from there',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          const course = await runSchedule(schedule, ({ course: { view, options }, op, before }) => {
            if (before.isTerminal && !beginsAnew(op) && options.whenBusy !== 'queue')
              expect({ op: op.do, phase: view().phase }).toEqual({ op: op.do, phase: before.phase })
          })
          const { fires, retries, resumes, adopts, waiters, settled } = course
          expect(settled.length).toBeLessThanOrEqual(fires + retries + resumes + adopts)
          for (const { outcomes } of waiters) expect(outcomes).toHaveLength(1)
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    '2. the tool is called once per wish and once per round that it asked for, and not once more',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          await runSchedule(schedule, ({ course: { world, fires, retries, rounds } }) => {
            const calls = world.sent.filter(({ method }) => method === 'tools/call').length
            expect(calls).toBeLessThanOrEqual(fires + retries + rounds)
          })
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    '3. after the end no timer is armed, and no further message about the task goes out',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          let ended: { id: string; sent: number } | null = null
          await runSchedule(schedule, ({ course: { view, world }, op }) => {
            const about = (id: string) => world.sent.filter(({ params }) => params['taskId'] === id).length
            const { isTerminal, task } = view()
            if (beginsAnew(op) || !isTerminal) ended = null
            if (ended) expect(about(ended.id)).toBe(ended.sent)
            if (!isTerminal) return
            expect(world.clock.pending).toBe(0)
            if (world.open.every(({ method }) => method !== 'tools/call')) expect(world.listeners).toBe(0)
            if (task?.taskId) ended = { id: task.taskId, sent: about(task.taskId) }
          })
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    '4. a wish to cancel is sent, or reported as refused, or kept in the reference',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          await runSchedule(schedule, ({ course: { view, world, runner }, op, before }) => {
            const { phase, cancelRequested, error, task, isTerminal } = view()
            const id = task?.taskId
            const sent = world.sent.some(({ method, params }) => method === 'tasks/cancel' && params['taskId'] === id)
            if (phase === 'cancelling' && id && !['completed', 'failed', 'cancelled'].includes(task.status))
              expect(sent).toBe(true)
            if (cancelRequested && !isTerminal) expect(runner.reference).toMatchObject({ cancelRequested: true })
            if (before.cancelRequested && !cancelRequested && !isTerminal && !beginsAnew(op) && phase !== 'idle')
              if (schedule.options.whenBusy !== 'queue') expect(error).not.toBeNull()
          })
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    '5. only a word of the server, or that nothing runs, makes a confirmed cancel',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          await runSchedule(schedule, ({ course: { view, world, saidCancelled } }) => {
            const { phase, confirmed, task, result, error } = view()
            if (phase !== 'cancelled') expect(confirmed).toBeNull()
            else expect([true, false]).toContain(confirmed)
            if (confirmed === true && task?.taskId) expect([...saidCancelled]).toContain(task.taskId)
            if (confirmed === true && !task?.taskId) {
              const call = world.sent.findLast(({ method }) => method === 'tools/call')
              expect(call?.endedAt).not.toBeNull()
            }
            if (phase === 'cancelled' || phase === 'expired') expect(result).toBeNull()
            if (phase === 'failed') expect(['unreachable', 'timeout', 'lost']).not.toContain(error?.kind)
          })
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    '8. an answered prompt is not shown again, and is answered once, unless its answer could not be delivered',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          const bodies = new Map<string, string>()
          let answered = new Set<string>()
          await runSchedule(schedule, ({ course: { view, world }, op, before }) => {
            const { inputRequests, error, phase } = view()
            const open = Object.keys(inputRequests)
            if (beginsAnew(op) || phase === 'idle' || phase === 'submitting' || schedule.options.whenBusy === 'queue')
              answered = new Set()
            // A round of the call itself begins anew; so does a key whose update failed, which is reported.
            if (error || (op.do === 'answer' && view().task === null)) answered = new Set()
            for (const key of open) expect(answered).not.toContain(key)
            // What the call asked before there was a task is another question, even by the same name.
            if (op.do === 'respond' && before.task !== null)
              for (const key of op.keys) if (Object.hasOwn(before.inputRequests, key)) answered.add(key)
            for (const { method, params } of world.sent) {
              if (method !== 'tasks/update') continue
              expect(Object.keys(params['inputResponses'] as object)).not.toHaveLength(0)
              expect(params).not.toHaveProperty('requestState')
              for (const [key, answer] of Object.entries(params['inputResponses'] as object)) {
                const told = `${String(params['taskId'])} ${key}`
                expect(bodies.get(told) ?? JSON.stringify(answer)).toBe(JSON.stringify(answer))
                bodies.set(told, JSON.stringify(answer))
              }
            }
          })
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    '9. no id, state, URL, argument, answer or result is in any message, on the console, or in what observers get',
    async () => {
      const console_ = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
        vi.spyOn(console, name).mockImplementation(() => {}),
      )
      const hidden = (text: string) => {
        for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
      }
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          const course = await runSchedule(schedule, ({ course: { view } }) => {
            const { error } = view()
            if (error) hidden(`${error.message} ${error.stack} ${String(error)}`)
          })
          for (const reason of course.reasons) {
            expect(reason).toBeInstanceOf(Error)
            const { message, stack } = reason as Error
            hidden(`${message} ${stack}`)
            if (TaskError.is(reason)) expect(message).toMatch(/\S/)
          }
          for (const spy of console_) hidden(spy.mock.calls.flat().map(String).join(' '))
          hidden(JSON.stringify(course.inspected.map(spread)))
        }),
        { numRuns: 150 },
      )
      for (const spy of console_) spy.mockRestore()
    },
    timeout,
  )

  test(
    '10. disposing leaves no rejection that nobody handles, no listener and no timer',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          const { world } = await runSchedule(schedule)
          expect(world.listeners).toBe(0)
          expect(world.clock.pending).toBe(0)
          expect(vi.getTimerCount()).toBe(0)
          const sent = world.sent.length
          for (const request of world.open) request.settle({ error: { message: 'socket hang up' } })
          await world.clock.advance(3_600_000)
          expect(world.sent).toHaveLength(sent)
          await realTick()
          expect(escapes).toEqual([])
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    'the view always says what its phase promises',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (schedule) => {
          await runSchedule(schedule, ({ course: { view, runner } }) => {
            const { phase, error, result, task, detachedBecause, ...is } = view()
            expect(phases).toContain(phase)
            if (error) expect(errorKinds).toContain(error.kind)
            if (phase === 'detached') {
              expect(error).not.toBeNull()
              expect(detachedBecause).toBe(error?.kind)
            }
            if (phase === 'completed') expect(result).toMatchObject({ isError: false })
            else if (is.isTerminal) expect(error).not.toBeNull()
            if (phase === 'idle') expect({ error, result, task }).toEqual({ error: null, result: null, task: null })
            expect([is.isIdle, is.isTerminal, is.isWorking, phase === 'detached'].filter(Boolean)).toHaveLength(1)
            if (is.canRespond) expect(Object.keys(is.inputRequests)).not.toHaveLength(0)
            expect(runner.reference === null).toBe(is.isIdle || is.isTerminal)
            expect(view()).toBe(runner.getSnapshot())
          })
        }),
        runs,
      )
    },
    timeout,
  )

  test(
    'with a policy that runs the work again, the tool is called as often as that allows',
    async () => {
      const retryPolicy = { maxAttempts: 3, retryOn: ['protocol', 'unreachable', 'tool'], baseDelayMs: 1000 }
      const options = optionSets.map((set) => ({ ...set, idempotent: true, retryPolicy }))
      await fc.assert(
        fc.asyncProperty(schedules(undefined, options), async (schedule) => {
          await runSchedule(schedule, ({ course: { world, view, fires, retries, rounds } }) => {
            const calls = world.sent.filter(({ method }) => method === 'tools/call').length
            // Three runs of the work each, and three tries of each call that was lost.
            expect(calls).toBeLessThanOrEqual((fires + retries + rounds) * 9)
            expect(view().attempt).toBeLessThanOrEqual(3 + retries)
          })
        }),
        { numRuns: 200 },
      )
    },
    timeout,
  )
})

/** What an observer can read of an event, the refs' snapshots included. */
function spread(event: unknown): unknown {
  const { actorRef, sourceRef, ...rest } = event as Record<string, { getSnapshot?(): unknown } | undefined>
  return { ...rest, actor: actorRef?.getSnapshot?.(), source: sourceRef?.getSnapshot?.() }
}
