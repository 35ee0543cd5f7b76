import { emit, type AnyActorRef } from 'xstate'
import { callOut } from '../../call-out.ts'
import { clampInterval } from '../../connection/delay.ts'
import type { FireOptions } from '../../options.ts'
import type { TaskReference } from '../../reference.ts'
import { isTerminal, type JsonObject } from '../../task.ts'
import type { Phase, RestReason } from '../../view.ts'
import { freshRun, type TaskContext } from '../context.ts'
import { lost } from '../errors.ts'
import { failureOf, newsOf } from '../heard.ts'
import { toReference, type RuntimeOf } from '../runtime.ts'
import { createView } from '../to-view.ts'
import { timeOf, write, type Action, type Moment } from './moment.ts'

const withoutSignal = (options: FireOptions | undefined) => {
  if (!options) return null
  const { signal: _, ...rest } = options
  return rest
}

/** Who looks stays the same from run to run; what the surroundings say is found out anew. */
const kept = (resting: readonly RestReason[]) => resting.filter((reason) => reason === 'unmounted')

/** By its id, where the server has a way for that. */
const repeated = ({ isRepeatable, task }: TaskContext) => (isRepeatable ? (task?.taskId ?? null) : null)

const isSettled = (self: AnyActorRef) => self.getSnapshot().hasTag?.('terminal') === true

/** A run begins, is let go, is run again, or has ended. */
export function runActions(runtimeOf: RuntimeOf) {
  const { now, after } = timeOf(runtimeOf)

  const begin = (
    { context, self }: Moment,
    attempt: number,
    args: JsonObject,
    fireOptions: TaskContext['fireOptions'],
  ): Partial<TaskContext> => {
    const { settings, connection } = runtimeOf(self)
    const { maxWait, whenBusy = 'replace' } = settings
    return {
      ...freshRun,
      session: connection.session ?? null,
      principal: connection.principal ?? null,
      epoch: context.epoch + 1,
      attempt,
      args,
      fireOptions,
      whenBusy,
      deadlines: { ...freshRun.deadlines, wait: after(self, maxWait) },
      resting: kept(context.resting),
    }
  }

  return {
    startRun: write((moment) => {
      const { args, options, queued } = moment.event as { args?: JsonObject; options?: FireOptions; queued?: boolean }
      return {
        ...begin(moment, 1, args ?? {}, withoutSignal(options)),
        ...(queued && { queue: moment.context.queue.slice(1) }),
      }
    }),
    retryRun: write((moment) => {
      const { attempt, args, fireOptions } = moment.context
      return {
        ...begin(moment, attempt + 1, args ?? {}, fireOptions),
        args,
        again: repeated(moment.context),
      }
    }),
    adoptRun: write((moment) => ({
      ...begin(moment, 1, {}, null),
      args: null,
    })),
    ownRun: ({ context, self }: Moment) => {
      runtimeOf(self).owned = context.epoch
    },
    /** The task of the run that ends here goes on without us. */
    letGo: ({ context, self }: Moment) => {
      const runtime = runtimeOf(self)
      if (context.task?.taskId && !isTerminal(context.task.status) && !isSettled(self))
        callOut(runtime.settings.onOrphan, toReference(runtime, context))
    },
    resumeReference: write((moment) => {
      const { reference, isPaced } = moment.event as unknown as { reference: TaskReference; isPaced?: boolean }
      const { taskId, protocol, receivedAt, ttl, pollInterval, cancelRequested, session, principal, nextReadAt } =
        reference
      const interval = clampInterval(pollInterval as number | undefined, runtimeOf(moment.self).settings)
      const received = typeof receivedAt === 'number' ? receivedAt : now(moment.self)
      return {
        ...begin(moment, 1, {}, null),
        args: null,
        created: false,
        protocol,
        task: {
          taskId,
          status: 'working',
          ...(typeof ttl === 'number' && { ttl }),
          ...(typeof pollInterval === 'number' && { pollInterval }),
        },
        receivedAt: received,
        deadlines: {
          ...freshRun.deadlines,
          wait: after(moment.self, runtimeOf(moment.self).settings.maxWait),
          ttl: typeof ttl === 'number' ? received + ttl : null,
        },
        cancelRequested: cancelRequested === true,
        session: typeof session === 'string' ? session : null,
        principal: (principal ?? null) as string | null,
        // A reload is no reason to read earlier than the server allows (P28), or than another page does.
        ...(!isPaced && { asked: ['read' as const] }),
        ...(isPaced && typeof nextReadAt === 'number' && { seenAt: Math.min(nextReadAt - interval, now(moment.self)) }),
      }
    }),
    resumeLost: write((moment) => ({
      ...begin(moment, 1, {}, null),
      args: null,
      ...lost(runtimeOf(moment.self).connection),
    })),
    clearRun: write(({ context }) => ({
      ...freshRun,
      epoch: context.epoch + 1 + context.queue.length,
      attempt: 0,
      queue: [],
    })),
    enqueue: write(({ context, event }) => {
      const { args = {}, options } = event as { args?: JsonObject; options?: FireOptions }
      return { queue: [...context.queue, { args, options: withoutSignal(options) }] }
    }),

    planRetry: write(({ context, event }) => ({
      ...freshRun,
      session: context.session,
      principal: context.principal,
      args: context.args,
      fireOptions: context.fireOptions,
      again: repeated(context),
      attempt: context.attempt + 1,
      resting: kept(context.resting),
      deadlines: {
        ...freshRun.deadlines,
        wait: context.deadlines.wait,
        retry: (newsOf(event) ?? failureOf(event))?.retryAt ?? null,
      },
    })),
    planRound: write(({ context, self }) => ({
      deadlines: {
        ...context.deadlines,
        retry: now(self) + runtimeOf(self).settings.minPollInterval * 2 ** (context.rounds - 1),
      },
    })),
    clearRetry: write(({ context }) => ({ deadlines: { ...context.deadlines, retry: null } })),

    announce: emit(({ context }, { phase }: { phase: Phase }) => ({
      type: 'settled',
      view: createView(phase, context as TaskContext),
    })) as Action<{ phase: Phase }>,
    tellSettled: ({ context, self }: Moment, { phase }: { phase: Phase }) =>
      callOut(runtimeOf(self).settings.onSettled, createView(phase, context)),
    /** A moment later, so that the end is seen; whatever happened meanwhile wins. */
    fireNext: ({ context, self }: Moment) => {
      if (context.queue.length === 0) return
      queueMicrotask(() => {
        const { status, context: later } = self.getSnapshot() as { status: string; context: TaskContext }
        const [next] = later.queue
        if (status !== 'active' || later.epoch !== context.epoch || !next) return
        self.send({ type: 'fire', args: next.args, options: next.options ?? {}, queued: true })
      })
    },
  }
}
