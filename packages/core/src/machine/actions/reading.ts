import type { RestReason } from '../../view.ts'
import { freshRun, type Asked } from '../context.ts'
import type { RuntimeOf } from '../runtime.ts'
import { timeOf, without, write } from './moment.ts'

/** A read is wanted out of turn. */
const ask = (why: Asked) =>
  write(({ context }) => ({ asked: context.asked.includes(why) ? context.asked : [...context.asked, why] }))

const rest = (reason: RestReason) =>
  write(({ context }) => (context.resting.includes(reason) ? {} : { resting: [...context.resting, reason] }))

/** Reading out of turn, resting, and going on. */
export function readingActions(runtimeOf: RuntimeOf) {
  const { now, after, interval } = timeOf(runtimeOf)
  return {
    readNow: ask('read'),
    decideTtl: ask('ttl'),
    decideWait: ask('wait'),
    decideCancel: ask('cancel'),
    noteAsked: write(({ context, event }) => ({
      asked: without(context.asked, ...(event as unknown as { why: readonly Asked[] }).why),
    })),
    grantGrace: write(({ context, self }) => ({
      ttlGrace: true,
      deadlines: {
        ...context.deadlines,
        ttl: now(self) + interval({ context, self }),
      },
    })),
    /** Goes on reading after a rest or after trouble; `maxWait` counts anew. */
    goOn: write(({ context, self }) => ({
      error: null,
      overtime: false,
      backingOff: false,
      resting: without(context.resting, 'asked'),
      deadlines: { ...context.deadlines, wait: after(self, runtimeOf(self).settings.maxWait) },
    })),
    lookAgain: write(({ context, self }) => ({
      error: null,
      confirmed: null,
      ttlGrace: false,
      created: false,
      task: context.task && { ...context.task, status: 'working' },
      inputRequests: {},
      result: null,
      deadlines: { ...freshRun.deadlines, wait: after(self, runtimeOf(self).settings.maxWait) },
      asked: ['read'],
    })),
    restAsked: rest('asked'),
    restUnwatched: rest('unmounted'),
    noteWatched: write(({ context }) =>
      context.resting.includes('unmounted') ? { resting: without(context.resting, 'unmounted') } : {},
    ),
    noteSurroundings: write(({ context, event }) => ({
      resting: [
        ...without(context.resting, 'connection', 'offline', 'hidden'),
        ...(event as unknown as { reasons: readonly RestReason[] }).reasons,
      ],
    })),
  }
}
