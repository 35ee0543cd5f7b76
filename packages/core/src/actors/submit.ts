import { fromPromise } from 'xstate'
import { callOut } from '../call-out.ts'
import { attempt } from '../connection/attempt.ts'
import { nextDelay } from '../connection/delay.ts'
import { Submission } from '../connection/submission.ts'
import type { TaskContext } from '../machine/context.ts'
import { configuredProtocol, toReference, activeProtocol, type Runtime, type RuntimeOf } from '../machine/runtime.ts'
import { createFailure, readFailure } from '../wire/failure.ts'
import type { News } from '../wire/news.ts'
import { isTerminal } from '../task.ts'
import { machineOf, type Machine } from './parent.ts'
import { retryAt, retryErrorAt } from './retry-work.ts'
import { withRetry } from './with-retry.ts'

const lost = createFailure({
  sort: 'refused',
  kind: 'lost',
  message: 'The call was made by another process, and its answer was never seen.',
})

const givenUp = createFailure({
  sort: 'refused',
  kind: 'lost',
  message: 'The call was cancelled before its answer was seen: whether it has begun is unknown.',
})

const retry = (at: number | undefined) => (at === undefined ? undefined : { retryAt: at })

/** Makes the create call and listens for its answer. The call belongs to the connection: this actor stopping never aborts it. */
export function submit(runtimeOf: RuntimeOf) {
  const once = fromPromise<News>(async ({ self, signal }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    const { context } = machine.getSnapshot()
    if (runtime.owned !== context.epoch) throw lost
    // Cancelled while it waited to be made again.
    if (context.cancelRequested) throw givenUp
    const submission = open(runtime, machine, context)
    signal.addEventListener('abort', () => submission.abandon())
    try {
      const news = await submission.answer
      return { ...news, ...retry(await retryAt(runtime, machine, news.outcome, news)) }
    } catch (error) {
      const failure = readFailure(error)
      throw { ...failure, ...retry(await retryErrorAt(runtime, machine, failure)) }
    }
  })
  return withRetry(once, (self) => {
    const machine = machineOf(self)
    const { settings, connection } = runtimeOf(machine)
    return {
      clock: connection.clock,
      delay(failure, failures) {
        // Only the caller can know that the tool may run twice (RETRY-2, P57).
        if (failure.kind !== 'lost' || failure === lost || !settings.idempotent || failures >= settings.maxPollFailures)
          return null
        if (machine.getSnapshot().context.cancelRequested) return null
        return nextDelay(
          { base: settings.pollInterval, longest: settings.maxPollInterval, random: connection.random },
          failure,
          failures,
        )
      },
    }
  })
}

function open(runtime: Runtime, machine: Machine, context: TaskContext): Submission {
  runtime.keep?.()
  const { epoch, args, fireOptions, requestState, answered } = context
  const settings = { ...runtime.settings, connection: runtime.connection }
  const answers = Object.fromEntries(Object.entries(answered).map(([key, { answer }]) => [key, answer]))
  const round = requestState === undefined ? undefined : { answers, requestState }
  const call = {
    tool: settings.tool,
    args: args ?? {},
    meta: fireOptions?.meta,
    ttl: fireOptions?.ttl,
    again: context.again ?? undefined,
    round,
  }
  const isCurrent = () => machine.getSnapshot().status === 'active' && machine.getSnapshot().context.epoch === epoch
  const submission: Submission = new Submission(settings, configuredProtocol(runtime), call, fireOptions ?? {}, {
    onProgress(progress) {
      if (isCurrent()) machine.send({ type: 'submit.progress', epoch, progress } as never)
    },
    onPrompts(prompts) {
      if (isCurrent()) machine.send({ type: 'submit.asked', epoch, prompts } as never)
    },
    onLate(answer) {
      const snapshot = machine.getSnapshot()
      const waits =
        snapshot.matches({ submitting: 'lost' }) || ('news' in answer && snapshot.matches({ submitting: 'sending' }))
      if ('failure' in answer && answer.failure.kind === 'lost') return
      if (isCurrent() && waits) machine.send({ type: 'submit.late', epoch, ...answer } as never)
      else if ('news' in answer) letGo(runtime, answer.news, submission.cancelWished)
    },
  })
  runtime.submission = submission
  return submission
}

/** A handle nobody waits for any more: cancelled if that was wished, else reported, never dropped in silence. */
function letGo(runtime: Runtime, news: News, cancelWished: boolean) {
  const { task, protocol = null } = news
  if (!task?.taskId || isTerminal(task.status)) return
  const { connection, settings } = runtime
  const report = () =>
    callOut(
      settings.onOrphan,
      toReference(runtime, {
        protocol,
        task,
        receivedAt: connection.clock.now(),
        seenAt: connection.clock.now(),
        cancelRequested: cancelWished,
        session: connection.session ?? null,
        principal: connection.principal ?? null,
      }),
    )
  if (!cancelWished) return report()
  const taskId = task.taskId
  attempt(() =>
    activeProtocol(runtime, protocol).cancel(connection, taskId, { timeout: settings.requestTimeout }),
  ).catch(report)
}
