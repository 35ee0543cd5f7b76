import { fromCallback } from 'xstate'
import { hubOf } from '../connection/hub.ts'
import type { TaskReader } from '../connection/reader.ts'
import type { Follower, Report } from '../connection/report.ts'
import { onSurroundings, surroundings } from '../connection/surroundings.ts'
import type { TaskContext } from '../machine/context.ts'
import { activeProtocol, type RuntimeOf } from '../machine/runtime.ts'
import { isTerminal } from '../task.ts'
import type { RestReason } from '../view.ts'
import { isEmpty } from '../wire/json.ts'
import { checkOutput } from '../wire/result.ts'
import { machineOf } from './parent.ts'
import { retryAt } from './retry-work.ts'

/**
 * Follows the task for as long as the run goes on: one long-lived actor that waits, reads, backs off and takes pushes by itself, and
 * tells the chart only what changed. It rests while the chart's memory says so; while nobody follows it also lets go of the
 * connection and the page, so that a run that was left behind can be collected.
 */
export function poll(runtimeOf: RuntimeOf) {
  return fromCallback(({ sendBack, self }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    const { settings } = runtime
    let { connection } = runtime
    let reader: TaskReader | undefined
    let stopUsing: (() => void) | undefined
    let stopLooking: (() => void) | undefined
    let closed = false
    let stopped = false
    let asking = false

    const tell = (event: Report) => {
      if (stopped) return
      if (event.type !== 'poll.news' || !event.news.outcome) return sendBack(event)
      const { news } = event
      const finish = (outcome: NonNullable<typeof news.outcome>) => {
        const end = (at: number | undefined) => {
          if (!stopped) sendBack({ ...event, news: { ...news, outcome, ...(at !== undefined && { retryAt: at }) } })
        }
        const at = retryAt(runtime, machine, outcome, news)
        if (at instanceof Promise) void at.then(end)
        else end(at)
      }
      const checked = checkOutput(news.outcome!, settings.output)
      if (checked instanceof Promise) void checked.then(finish)
      else finish(checked)
    }

    const follower: Follower = {
      resting: true,
      answers: false,
      report(event) {
        if (event.type === 'poll.opened') return closed ? sendBack({ type: 'reconnected' }) : undefined
        if (event.type !== 'poll.closed') return tell(event)
        closed = true
        look()
      },
    }

    const leave = () => {
      reader?.leave(follower)
      if (reader) hubOf(connection).release(reader)
      reader = undefined
      stopUsing?.()
      stopLooking?.()
      stopLooking = undefined
    }

    const join = () => {
      closed = false
      stopLooking = onSurroundings(look)
      const { context } = machine.getSnapshot()
      const { task, seenAt } = context
      if (!task?.taskId) return
      runtime.keep?.()
      const hub = hubOf(connection)
      stopUsing = hub.use()
      reader = hub.reader(activeProtocol(runtime, context.protocol), settings, task, context)
      reader.follow(follower)
      // From here on it is only memory.
      hub.drain(reader, runtime.submission?.questions)
      runtime.submission?.release()
      runtime.submission = null
      // Another run may have followed the task before this one did; and what another process was asked, nobody waits for any more.
      const news = reader.newsSince(seenAt ?? 0)
      const isStale = reader.questions !== undefined && !isEmpty(context.inputRequests)
      if (news || isStale) tell({ type: 'poll.news', news: news ?? { task, prompts: reader.questions!.requests } })
    }

    /** Tells the chart when the surroundings are not what it remembers. */
    const look = () => {
      const reasons: RestReason[] = [...surroundings(settings.background ?? false)]
      if (closed) reasons.push('connection')
      const known = machine
        .getSnapshot()
        .context.resting.filter((reason): boolean => reason !== 'asked' && reason !== 'unmounted')
      if (reasons.length !== known.length || reasons.some((reason) => !known.includes(reason)))
        sendBack({ type: 'surroundings', reasons })
    }

    /** Somebody follows, or wants a read; and only a run that is there can be asked in requests of the server. */
    const isNeeded = ({ resting, asked, protocol }: TaskContext) =>
      !resting.some((reason) => reason === 'unmounted' || reason === 'asked') ||
      asked.length > 0 ||
      activeProtocol(runtime, protocol).asksWhileFetching === true

    /** Does what the chart's memory asks for. */
    const sync = () => {
      if (stopped) return
      const snapshot = machine.getSnapshot()
      const { resting, asked, task, cancelRequested } = snapshot.context
      const isNew = runtime.connection !== connection
      const needed = isNeeded(snapshot.context)
      if (stopLooking && (isNew || !needed)) leave()
      connection = runtime.connection
      if (needed && !stopLooking) {
        join()
        look()
      }
      if (asked.length > 0 && closed && !asking) {
        closed = false
        look()
      }
      // A prompt of a run that is to end is answered by that (race 9).
      reader?.questions?.refuse(cancelRequested)
      const rests =
        resting.length > 0 || snapshot.matches({ working: 'detached' }) || (task !== null && isTerminal(task.status))
      const answers = !rests && !cancelRequested
      if (rests !== follower.resting || answers !== follower.answers) {
        Object.assign(follower, { resting: rests, answers })
        reader?.schedule()
        reader?.lookEarly()
      }
      if (asked.length > 0 && !asking) void read()
    }

    const read = async () => {
      asking = true
      const why = machine.getSnapshot().context.asked
      // A deadline lets a read that is out have its say, and costs no other one.
      if (why.every((reason) => reason === 'wait')) await reader?.afterRead()
      else {
        // A deadline and a refused cancel are decided by one read, whatever it says.
        if (!why.every((reason) => reason === 'read')) reader?.trust()
        await reader?.readNow()
      }
      asking = false
      if (!stopped) sendBack({ type: 'poll.asked', why, failed: reader?.isFailing ?? true, at: connection.clock.now() })
    }

    // What came before the handle is taken even if nobody follows.
    join()
    const subscription = machine.subscribe(sync)
    look()
    sync()
    return () => {
      stopped = true
      subscription.unsubscribe()
      leave()
    }
  })
}
