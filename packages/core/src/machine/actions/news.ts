import type { ErrorRecord } from '../../errors.ts'
import type { JsonObject } from '../../task.ts'
import { isSamePrincipal } from '../../reference.ts'
import { readProgress } from '../../wire/progress.ts'
import { cancelError, lost, offerList } from '../errors.ts'
import { failureOf, newsOf } from '../heard.ts'
import { recordTask } from '../record-task.ts'
import type { RuntimeOf } from '../runtime.ts'
import { timeOf, write } from './moment.ts'

const toError = ({ event }: { event: object }): ErrorRecord => {
  const { kind, message, code, data, retryable } = failureOf(event)!
  return { kind, message, code, data, retryable }
}

const expired = (message: string): ErrorRecord => ({ kind: 'expired', message })

/** What was heard of the task, and how the run ended because of it. */
export function newsActions(runtimeOf: RuntimeOf) {
  const { now, interval } = timeOf(runtimeOf)
  return {
    recordNews: write(({ context, event, self }) =>
      recordTask(context, newsOf(event) ?? {}, now(self), interval({ context, self })),
    ),
    recordTrouble: write((moment) => ({
      error: offerList(toError(moment), runtimeOf(moment.self).connection),
      backingOff: false,
    })),
    /** Why nobody reads any more: that nothing was sent matters to a create call only. */
    recordDetached: write((moment) => {
      const error = toError(moment)
      return { error: error.kind === 'not-sent' ? { ...error, kind: 'unreachable' } : error, backingOff: false }
    }),
    recordError: write((moment) => ({ error: toError(moment) })),
    // Not the task is gone, as the code would mean for a read: the cancel is refused.
    recordRefusal: write((moment) => ({ refusal: { ...toError(moment), kind: 'protocol' } })),
    recordLost: write(({ self }) => lost(runtimeOf(self).connection)),
    recordWaitOver: write(() => ({
      error: {
        kind: 'timeout',
        message: 'The run took longer than `maxWait`: it may still be going on, and can be resumed.',
        retryable: true,
      },
      asked: [],
    })),
    recordUnanswered: write(() => ({
      error: {
        kind: 'timeout',
        message: 'The call was not made within `maxWait`, and nothing is running.',
        retryable: true,
      },
      inputRequests: {},
    })),
    recordGone: write(({ context, event, self }) => {
      const failure = failureOf(event)
      // Told by a tool in its own words.
      if (failure?.endsAs) return { error: expired(failure.message) }
      // Some servers know only the tasks of the session (AUG-POLL-4), and all should know only those of the one who asks (SEC-6).
      const { session, principal } = runtimeOf(self).connection
      const isOthers = context.principal !== null && !isSamePrincipal(context.principal, principal)
      const isEarlier = context.session !== null && context.session !== session
      const why = isOthers ? ': it was made for another principal' : isEarlier ? ': it was made in another session' : ''
      return { error: expired(`The server does not know the task${why || ', or no longer'}.`) }
    }),
    recordResultLost: write(() => ({
      error: expired('The work was completed, but the server has no result for it any more.'),
    })),
    recordOutOfTime: write(() => ({
      error: expired('The lifetime of the task has passed, and the server did not say how it ended.'),
      asked: [],
    })),
    recordWorkFailed: write(({ context }) => ({
      error: {
        kind: 'protocol',
        message: context.task?.statusMessage ?? 'The work failed, and the server does not say why any more.',
      },
    })),
    recordGoneAfterCancel: write(({ context }) => ({
      confirmed: false,
      error: cancelError(context, 'The task is gone after it was asked to cancel.'),
    })),
    recordNothingRuns: write(({ context }) => ({
      confirmed: !context.mayRun,
      error: cancelError(context, 'The call was cancelled before anything was known to run.'),
    })),
    recordBrokenPrompt: write(() => ({
      inputRequests: {},
      error: { kind: 'malformed', message: 'The server asked something else under a key that it had already used.' },
    })),
    recordEndlessRounds: write(() => ({
      error: { kind: 'protocol', message: 'The server kept asking to send the call again.', retryable: true },
    })),
    recordProgress: write(({ context, event }) => ({
      progress:
        readProgress((event as unknown as { progress: JsonObject }).progress, context.progress) ?? context.progress,
    })),
    noteOvertime: write(() => ({ overtime: true })),
    noteTrouble: write(() => ({ backingOff: true })),
    noteRecovery: write(() => ({ backingOff: false })),
    noteOverdue: write(({ context }) => ({ overdue: true, deadlines: { ...context.deadlines, grace: null } })),
  }
}
