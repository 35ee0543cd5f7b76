import type { RuntimeOf } from '../runtime.ts'
import { timeOf, without, write, type Moment } from './moment.ts'

/** The wish to cancel, and what becomes of it. */
export function cancelActions(runtimeOf: RuntimeOf) {
  const { after } = timeOf(runtimeOf)
  return {
    wishCancel: write(({ context, self }) => ({
      cancelRequested: true,
      error: null,
      overdue: false,
      // Whoever cancels wants to know what becomes of it.
      resting: without(context.resting, 'asked'),
      deadlines: {
        ...context.deadlines,
        grace: context.deadlines.grace ?? after(self, runtimeOf(self).settings.cancelGrace),
      },
    })),
    noteWish: write(() => ({ cancelRequested: true })),
    dropWish: write(({ context }) => ({
      cancelRequested: false,
      overdue: false,
      error: context.refusal ?? context.error,
      refusal: null,
      asked: without(context.asked, 'cancel', 'read'),
      deadlines: { ...context.deadlines, grace: null },
    })),
    cancelSubmission: ({ self }: Moment) => runtimeOf(self).submission?.cancel(),
    noteMayRun: write(() => ({ mayRun: true })),
    noteCancelHeard: write(() => ({ cancelLanded: true, cancelHeard: true })),
    noteCancelLanded: write(() => ({ cancelLanded: true })),
    reportUnsupported: write(() => ({
      cancelUnsupported: true,
      error: { kind: 'unsupported', message: 'The server cannot cancel this task.' },
    })),
  }
}
