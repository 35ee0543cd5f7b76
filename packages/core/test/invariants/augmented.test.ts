import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { augmentedServer } from '../support/augmented-says.ts'
import { errorKinds, phases, realTick } from '../support/hostile.ts'
import { askingOps, beginsAnew, schedules, type Schedule } from '../support/ops.ts'
import { secrets } from '../support/says.ts'
import { runSchedule, type Step } from '../support/schedule.ts'

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

const run = (schedule: Schedule, check?: (step: Step) => void) => runSchedule(schedule, check, {}, augmentedServer)

/** Holds for random schedules. */
function holds(title: string, property: (schedule: Schedule) => Promise<void>, numRuns = 250) {
  test(title, () => fc.assert(fc.asyncProperty(schedules(askingOps()), property), { numRuns }), 60_000)
}

describe('whatever a server of 2025-11-25 and the user do, in whatever order', () => {
  holds('1. every promise is settled once at most, and only the user leads on from an end', async (schedule) => {
    const course = await run(schedule, ({ course: { view, options }, op, before }) => {
      if (before.isTerminal && !beginsAnew(op) && options.whenBusy !== 'queue')
        expect({ op: op.do, phase: view().phase }).toEqual({ op: op.do, phase: before.phase })
    })
    const { fires, retries, resumes, adopts, waiters, settled } = course
    expect(settled.length).toBeLessThanOrEqual(fires + retries + resumes + adopts)
    for (const { outcomes } of waiters) expect(outcomes).toHaveLength(1)
  })

  holds('2. the tool is called once per wish and once per consent, and asks for a task each time', async (schedule) => {
    await run(schedule, ({ course: { world, fires, retries, rounds } }) => {
      const calls = world.sent.filter(({ method }) => method === 'tools/call')
      expect(calls.length).toBeLessThanOrEqual(fires + retries + rounds)
      for (const { params } of calls) {
        expect(params).toMatchObject({ task: {} })
        expect(params).not.toHaveProperty('inputResponses')
      }
    })
  })

  holds('3. after the end no timer is armed, and no further message about the task goes out', async (schedule) => {
    let ended: { id: string; sent: number } | null = null
    await run(schedule, ({ course: { view, world }, op }) => {
      const about = (id: string) => world.sent.filter(({ params }) => params['taskId'] === id).length
      const { isTerminal, task } = view()
      if (beginsAnew(op) || !isTerminal) ended = null
      if (ended) expect(about(ended.id)).toBe(ended.sent)
      if (!isTerminal) return
      expect(world.clock.pending).toBe(0)
      if (world.open.every(({ method }) => method !== 'tools/call')) expect(world.listeners).toBe(0)
      if (task?.taskId) ended = { id: task.taskId, sent: about(task.taskId) }
    })
  })

  holds('4. a wish to cancel is sent, or reported as refused, or kept in the reference', async (schedule) => {
    await run(schedule, ({ course: { view, world, runner }, op, before }) => {
      const { phase, cancelRequested, error, task, isTerminal } = view()
      const id = task?.taskId
      const sent = world.sent.some(({ method, params }) => method === 'tasks/cancel' && params['taskId'] === id)
      if (phase === 'cancelling' && id && !['completed', 'failed', 'cancelled'].includes(task.status))
        expect(sent).toBe(true)
      if (cancelRequested && !isTerminal) expect(runner.reference).toMatchObject({ cancelRequested: true })
      if (before.cancelRequested && !cancelRequested && !isTerminal && !beginsAnew(op) && phase !== 'idle')
        if (schedule.options.whenBusy !== 'queue') expect(error).not.toBeNull()
    })
  })

  holds('5. only a word of the server, or that nothing runs, makes a confirmed cancel', async (schedule) => {
    await run(schedule, ({ course: { view, world, saidCancelled } }) => {
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
  })

  holds(
    '8. a prompt that was answered is not shown again, and the server is told only what was said',
    async (schedule) => {
      const answered = new Set<string>()
      // Whoever answers although the view does not say `canRespond` may be too late, or may not.
      const said = new Set<string>()
      const course = await run(schedule, ({ course: { view }, op, before }) => {
        const open = Object.keys(view().inputRequests)
        // A consent may be wanted again under its name, and the answer to a task that no longer waits is given back.
        for (const key of open) if (key.startsWith('asked-') && !view().error) expect(answered).not.toContain(key)
        if (op.do !== 'answerOpen') return
        for (const key of Object.keys(before.inputRequests).slice(0, op.count)) {
          said.add(key)
          if (before.canRespond) answered.add(key)
        }
      })
      for (const { told: what } of course.asked) {
        if (what === undefined || what === 'app') continue
        expect(what).toHaveProperty('answer')
        const { answer } = what as { answer: { action?: unknown; key?: string } }
        if (answer.action === 'cancel') continue
        expect(answer.action).toBe('accept')
        expect([...said]).toContain(answer.key)
      }
      expect(course.world.sent.map(({ method }) => method)).not.toContain('tasks/update')
    },
  )

  holds(
    '9. no id, URL, argument, answer, prompt or result is in any message, or in what observers get',
    async (schedule) => {
      const hidden = (text: string) => {
        for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
      }
      const course = await run(schedule, ({ course: { view } }) => {
        const { error } = view()
        if (error) hidden(`${error.message} ${error.stack} ${String(error)}`)
      })
      for (const reason of course.reasons) {
        expect(reason).toBeInstanceOf(Error)
        hidden(`${(reason as Error).message} ${(reason as Error).stack}`)
      }
      hidden(JSON.stringify(course.inspected))
    },
    150,
  )

  holds('10. disposing leaves no rejection that nobody handles, no listener and no timer', async (schedule) => {
    const { world } = await run(schedule)
    expect(world.listeners).toBe(0)
    expect(world.clock.pending).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    const sent = world.sent.length
    for (const request of world.open) request.settle({ error: { message: 'socket hang up' } })
    await world.clock.advance(3_600_000)
    expect(world.sent).toHaveLength(sent)
    await realTick()
    expect(escapes).toEqual([])
  })

  holds(
    'a result is fetched for what has ended or waits for input, and not when it was cancelled',
    async (schedule) => {
      const warranted = new Set<unknown>()
      let before = 0
      await run(schedule, ({ course: { world, view, answered }, op, before: shown }) => {
        const ids = [view().task?.taskId, shown.task?.taskId]
        if (answered?.method === 'tools/call') ids.push(`${secrets.id}-${answered.nth}`)
        if (op.do === 'push') ids.push(...world.sent.map(({ nth }) => `${secrets.id}-${nth}`))
        if ('say' in op && ['input_required', 'completed', 'failed'].includes(op.say.status))
          for (const id of ids) warranted.add(id)
        const fetches = world.sent.filter(({ method }) => method === 'tasks/result')
        for (const { params } of fetches) expect([...warranted]).toContain(params['taskId'])
        if ('say' in op && op.say.status === 'cancelled' && view().phase === 'cancelled')
          expect(fetches).toHaveLength(before)
        before = fetches.length
      })
    },
  )

  holds('the view always says what its phase promises', async (schedule) => {
    await run(schedule, ({ course: { view, runner } }) => {
      const { phase, error, result, detachedBecause, ...is } = view()
      expect(phases).toContain(phase)
      if (error) expect(errorKinds).toContain(error.kind)
      if (phase === 'detached') {
        expect(error).not.toBeNull()
        expect(detachedBecause).toBe(error?.kind)
      }
      if (phase === 'completed') expect(result).toMatchObject({ isError: false })
      else if (is.isTerminal) expect(error).not.toBeNull()
      expect([is.isIdle, is.isTerminal, is.isWorking, phase === 'detached'].filter(Boolean)).toHaveLength(1)
      expect(is.canRespond && Object.keys(is.inputRequests).length === 0).toBe(false)
      expect(runner.reference === null).toBe(is.isIdle || is.isTerminal)
    })
  })
})
