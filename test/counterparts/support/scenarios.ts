import { callToolAsTask, HostCapabilityError, listTasks, plain, type Phase } from '@mcp-task-machine/core'
import { expect } from 'vitest'
import type { Counterpart } from './counterpart.ts'
import type { Pair } from './pairs.ts'
import { answerPrompts, cancelAndHear, follow, holdReads, run, textOf, untilStatus, viewWhere } from './runs.ts'
import type { Json } from './wire.ts'

interface Scenario {
  readonly title: string
  /** Played only with a server that has this. */
  readonly needs?: 'ask' | 'forbidden' | 'required'
  play(counterpart: Counterpart, pair: Pair): Promise<void>
}

let marks = 0
const isModern = (pair: Pair) => pair.here().connection.generation === '2026-07-28'
const callsOf = (pair: Pair, tool: string, args: Json) =>
  pair.here().wire.sent('tools/call', { name: tool, arguments: args })

/** What every server is asked, if it can do it at all. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'a call runs to its end, with what the server says on the way',
    async play({ work }, pair) {
      const { wire } = pair.here()
      const mark = ++marks
      const args = work.args(mark)
      const runner = run(pair.here(), work.tool)
      const { phases, messages } = follow(runner)
      const { taskId, status } = (await runner.fire(args)).task
      expect(status).toBe('working')
      expect(textOf(await runner.result())).toContain(work.result(mark))
      expect(phases).toEqual<Phase[]>(['submitting', 'working', 'completed'])
      if (work.says) expect(messages).toContainEqual(expect.stringMatching(work.says))
      expect(callsOf(pair, work.tool, args).map(({ params }) => params.task)).toEqual([isModern(pair) ? undefined : {}])
      expect(wire.sent('tasks/result', { taskId })).toHaveLength(isModern(pair) ? 0 : 1)
      // It has ended: there is nothing to cancel.
      await runner.cancel()
      expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', cancelRequested: false, error: null })
      expect(wire.sent('tasks/cancel', { taskId })).toEqual([])
    },
  },
  {
    title: 'others go on from its reference, and do not call the tool',
    async play({ work, elsewhere }, pair) {
      const mark = ++marks
      const args = work.args(mark)
      const first = run(pair.here(), work.tool)
      await first.fire(args)
      const reference = JSON.parse(JSON.stringify(first.reference))
      first.detach()
      const second = run(pair.here(), work.tool)
      await second.resume(reference)
      const away = await pair.connectAnew()
      const third = run(away, work.tool, { pollInterval: 100 })
      await third.resume(reference)
      const view = await viewWhere(third, ({ isTerminal, phase }) => isTerminal || phase === 'detached')
      expect(view).toMatchObject(elsewhere(pair.way))
      expect(away.wire.sent('tools/call')).toEqual([])
      expect(textOf(await second.result())).toContain(work.result(mark))
      expect(callsOf(pair, work.tool, args)).toHaveLength(1)
    },
  },
  {
    title: 'its tasks are listed, or a list is refused unsent',
    async play({ endless, canList, canCancel }, pair) {
      const { connection, wire } = pair.here()
      const runner = run(pair.here(), endless.tool)
      const { taskId } = (await runner.fire(endless.args(++marks))).task
      if (canList && !isModern(pair)) {
        const { tasks } = await listTasks(connection)
        expect(tasks).toContainEqual(expect.objectContaining({ taskId, status: expect.any(String) }))
      } else {
        await expect(listTasks(connection)).rejects.toThrow(HostCapabilityError)
        expect(wire.sent('tasks/list')).toEqual([])
      }
      if (canCancel) await runner.cancel()
    },
  },
  {
    title: 'a cancel is confirmed by the server, or refused unsent',
    async play({ endless, canCancel }, pair) {
      const runner = run(pair.here(), endless.tool)
      const { phases } = follow(runner)
      const { taskId } = (await runner.fire(endless.args(++marks))).task
      await runner.cancel()
      const sent = pair.here().wire.sent('tasks/cancel', { taskId })
      if (canCancel) {
        await expect(runner.result()).rejects.toMatchObject({ kind: 'cancelled' })
        expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: true, cancelRequested: true })
        expect(phases).toEqual<Phase[]>(['submitting', 'working', 'cancelling', 'cancelled'])
        expect(sent).toHaveLength(1)
      } else {
        const error = { kind: 'unsupported' }
        expect(runner.getSnapshot()).toMatchObject({ phase: 'working', error, confirmed: null, task: { taskId } })
        expect(sent).toEqual([])
      }
    },
  },
  {
    title: 'a cancel that comes too late gives the result all the same',
    async play({ work, canCancel }, pair) {
      const mark = ++marks
      const unaware = holdReads(pair.here())
      const runner = run(unaware, work.tool)
      follow(runner)
      const { taskId } = (await runner.fire(work.args(mark))).task
      await untilStatus(pair.here(), taskId!, ['completed'])
      if (canCancel) await cancelAndHear(runner, pair.here())
      else await runner.cancel()
      unaware.release()
      expect(textOf(await runner.result())).toContain(work.result(mark))
      expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', confirmed: null, cancelRequested: canCancel })
    },
  },
  {
    title: 'two prompts at once, each answered for its own task',
    needs: 'ask',
    async play({ ask }, pair) {
      const { tool, args, accept, accepted, declined } = ask!
      const [toAccept, toDecline] = [++marks, ++marks]
      const yes = run(pair.here(), tool)
      const no = run(pair.here(), tool)
      await yes.fire(args(toAccept))
      await no.fire(args(toDecline))
      const shown = await viewWhere(yes, ({ canRespond }) => canRespond)
      expect(shown).toMatchObject({ phase: 'input_required', isWorking: true })
      expect(Object.values(shown.inputRequests)).toMatchObject([{ kind: 'elicitation', method: 'elicitation/create' }])
      await answerPrompts(yes, { action: 'accept', content: accept })
      await answerPrompts(no, { action: 'decline' })
      expect(textOf(await yes.result())).toContain(accepted(toAccept))
      expect(textOf(await no.result())).toContain(declined(toDecline))
      for (const mark of [toAccept, toDecline]) expect(callsOf(pair, tool, args(mark))).toHaveLength(1)
    },
  },
  {
    title: 'a tool that allows no tasks is never asked for one',
    needs: 'forbidden',
    async play({ forbidden }, pair) {
      const { tool, args, result } = forbidden!
      const mark = ++marks
      const handle = await run(pair.here(), tool).fire(args(mark))
      expect(handle.task).toEqual({ taskId: null, status: 'completed' })
      expect(textOf(await handle.result())).toContain(result(mark))
      expect(callsOf(pair, tool, args(mark)).map(({ params }) => 'task' in params)).toEqual([false])
      if (isModern(pair)) return
      const demanded = args(++marks)
      await expect(callToolAsTask(pair.here().connection, tool, demanded)).rejects.toThrow(HostCapabilityError)
      expect(callsOf(pair, tool, demanded)).toEqual([])
    },
  },
  {
    title: 'a tool that demands a task says so to a plain call',
    needs: 'required',
    async play({ required }, pair) {
      const { tool, args, error } = required!
      const given = args(++marks)
      const runner = run(pair.here(), tool, { protocol: plain() })
      await expect(runner.fire(given).then((handle) => handle.result())).rejects.toMatchObject(error)
      expect(runner.getSnapshot()).toMatchObject({ phase: 'failed', error })
      expect(callsOf(pair, tool, given)).toHaveLength(1)
    },
  },
  {
    title: 'a ttl is kept and runs out, or is what the server says',
    async play({ endless, ttl, canCancel }, pair) {
      const expected = ttl(isModern(pair))
      const args = { ...endless.args(++marks), ...(isModern(pair) && expected === 'kept' && { ttl: 2000 }) }
      // A server may deny the task a little before its time is up here, as it denies anything.
      const runner = run(pair.here(), endless.tool, { maxPollFailures: 100 })
      const { task } = await runner.fire(args, { ttl: 2000 })
      const asked = isModern(pair) ? undefined : { ttl: 2000 }
      expect(callsOf(pair, endless.tool, args).map(({ params }) => params.task)).toEqual([asked])
      expect(task.ttl).toBe(expected === 'kept' ? 2000 : expected)
      if (expected === 'kept') {
        await expect(runner.result()).rejects.toMatchObject({ kind: 'expired' })
        expect(runner.getSnapshot()).toMatchObject({ phase: 'expired', confirmed: null })
      } else if (canCancel) await runner.cancel()
    },
  },
]
