import { assign, emit, type ActionFunction, type AnyActorRef } from 'xstate'
import { callOut } from '../call-out.ts'
import { clampInterval } from '../connection/delay.ts'
import type { ErrorRecord } from '../errors.ts'
import type { FireOptions } from '../options.ts'
import type { TaskReference } from '../reference.ts'
import type { JsonObject } from '../task.ts'
import { isTerminal } from '../task.ts'
import type { Phase, RestReason } from '../view.ts'
import { mapValues } from '../wire/json.ts'
import { readProgress } from '../wire/progress.ts'
import { freshRun, type Asked, type TaskContext } from './context.ts'
import { cancelError } from './errors.ts'
import { failureOf, newsOf } from './heard.ts'
import { recordTask } from './record-task.ts'
import { toReference, type RuntimeOf } from './runtime.ts'
import { createView } from './to-view.ts'

// Actions hear events of every kind; `heard.ts` knows their parts, so the type of the event is left open here.
type Action<Params extends object | undefined = undefined> = ActionFunction<
  TaskContext,
  any,
  any,
  Params,
  any,
  any,
  any,
  never,
  any
>

interface Moment {
  readonly context: TaskContext
  readonly event: object
  readonly self: AnyActorRef
}

const toError = ({ event }: { event: object }): ErrorRecord => {
  const { kind, message, code, data, retryable } = failureOf(event)!
  return { kind, message, code, data, retryable }
}

const expired = (message: string): ErrorRecord => ({ kind: 'expired', message })

const withoutSignal = (options: FireOptions | undefined) => {
  if (!options) return null
  const { signal: _, ...rest } = options
  return rest
}

/** Everything the chart does. What JSON can't hold is reached through the runtime of the actor. */
export function createActions(runtimeOf: RuntimeOf) {
  const now = (self: AnyActorRef) => runtimeOf(self).connection.clock.now()
  const after = (self: AnyActorRef, ms: number | undefined) => (ms === undefined ? null : now(self) + ms)
  const interval = ({ context, self }: Pick<Moment, 'context' | 'self'>) =>
    clampInterval(context.task?.pollInterval, runtimeOf(self).settings)
  /** Writes down what an event means. */
  const write = (change: (moment: Moment) => Partial<TaskContext>) =>
    assign((moment) => change(moment as unknown as Moment)) as Action

  const begin = (
    { context, self }: Moment,
    attempt: number,
    args: JsonObject,
    fireOptions: TaskContext['fireOptions'],
  ): Partial<TaskContext> => {
    const { maxWait, whenBusy = 'replace' } = runtimeOf(self).settings
    return {
      ...freshRun,
      epoch: context.epoch + 1,
      attempt,
      args,
      fireOptions,
      whenBusy,
      deadlines: { ...freshRun.deadlines, wait: after(self, maxWait) },
      resting: without(context.resting, 'asked'),
    }
  }

  return {
    // ── a run begins ──
    startRun: write((moment) => {
      const { args, options, queued } = moment.event as { args?: JsonObject; options?: FireOptions; queued?: boolean }
      return {
        ...begin(moment, 1, args ?? {}, withoutSignal(options)),
        ...(queued && { queue: moment.context.queue.slice(1) }),
      }
    }),
    retryRun: write((moment) =>
      begin(moment, moment.context.attempt + 1, moment.context.args ?? {}, moment.context.fireOptions),
    ),
    adoptRun: write((moment) => ({
      ...begin(moment, 1, {}, null),
      args: null,
      protocol: adoptedProtocol(runtimeOf(moment.self).connection.generation),
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
      const { reference } = moment.event as unknown as { reference: TaskReference }
      const { taskId, protocol, receivedAt, ttl, pollInterval, cancelRequested } = reference
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
        asked: ['read'],
      }
    }),
    resumeLost: write((moment) => ({ ...begin(moment, 1, {}, null), args: null, ...lost })),
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

    // ── what was heard ──
    recordNews: write(({ context, event, self }) =>
      recordTask(context, newsOf(event) ?? {}, now(self), interval({ context, self })),
    ),
    recordTrouble: write((moment) => ({ error: toError(moment), backingOff: false })),
    recordError: write((moment) => ({ error: toError(moment) })),
    recordRefusal: write((moment) => ({ refusal: toError(moment) })),
    recordLost: write(() => lost),
    recordWaitOver: write(() => ({
      error: {
        kind: 'timeout',
        message: 'The run took longer than `maxWait`: it may still be going on, and can be resumed.',
        retryable: true,
      },
      asked: [],
    })),
    recordGone: write(() => ({ error: expired('The server does not know the task, or no longer.') })),
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
    noteTrouble: write(() => ({ backingOff: true })),
    noteRecovery: write(() => ({ backingOff: false })),
    noteOverdue: write(({ context }) => ({ overdue: true, deadlines: { ...context.deadlines, grace: null } })),

    // ── prompts ──
    recordRound: write(({ context, event }) => {
      const { prompts = {}, requestState, protocol } = newsOf(event) ?? {}
      return {
        inputRequests: prompts,
        answered: {},
        requestState,
        rounds: context.rounds + 1,
        protocol: protocol ?? null,
      }
    }),
    recordAnswers: write(({ context, event }) => {
      const { answers } = event as unknown as { answers: Readonly<Record<string, JsonObject>> }
      const given = mapValues(context.inputRequests, (request, key) =>
        Object.hasOwn(answers, key) ? { request, answer: answers[key]!, sent: false } : undefined,
      )
      return {
        answered: { ...context.answered, ...given },
        inputRequests: mapValues(context.inputRequests, (request, key) =>
          Object.hasOwn(given, key) ? undefined : request,
        ),
        error: null,
      }
    }),
    markSent: write(({ context, event }) => {
      const sent = new Set((event as unknown as { output: { keys: readonly string[] } }).output.keys)
      return {
        answered: mapValues(context.answered, (answer, key) => (sent.has(key) ? { ...answer, sent: true } : answer)),
      }
    }),
    /** An answer could not be delivered: its prompt is open again. */
    reopenPrompts: write(({ context }) => ({
      inputRequests: {
        ...context.inputRequests,
        ...mapValues(context.answered, ({ request, sent }) => (sent ? undefined : request)),
      },
      answered: mapValues(context.answered, (answer) => (answer.sent ? answer : undefined)),
    })),
    refuseInput: write(() => ({ refusedInput: true })),

    // ── cancelling ──
    wishCancel: write(({ context, self }) => ({
      cancelRequested: true,
      error: null,
      overdue: false,
      deadlines: {
        ...context.deadlines,
        grace: context.deadlines.grace ?? after(self, runtimeOf(self).settings.cancelGrace),
      },
    })),
    noteWish: write(() => ({ cancelRequested: true })),
    dropWish: write(({ context }) => ({
      cancelRequested: false,
      refusedInput: false,
      overdue: false,
      error: context.refusal ?? context.error,
      refusal: null,
      asked: without(context.asked, 'cancel'),
      deadlines: { ...context.deadlines, grace: null },
    })),
    cancelSubmission: ({ self }: Moment) => runtimeOf(self).submission?.cancel(),
    noteMayRun: write(() => ({ mayRun: true })),
    noteCancelLanded: write(() => ({ cancelLanded: true })),
    reportUnsupported: write(() => ({
      cancelUnsupported: true,
      error: { kind: 'unsupported', message: 'The server cannot cancel this task.' },
    })),

    // ── reading and resting ──
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

    // ── the work is run again ──
    planRetry: write(({ context, event }) => ({
      ...freshRun,
      args: context.args,
      fireOptions: context.fireOptions,
      attempt: context.attempt + 1,
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

    // ── the run has ended ──
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
        const { status, context: now } = self.getSnapshot() as { status: string; context: TaskContext }
        const [next] = now.queue
        if (status !== 'active' || now.epoch !== context.epoch || !next) return
        self.send({ type: 'fire', args: next.args, options: next.options ?? {}, queued: true })
      })
    },
  }

  function ask(why: Asked) {
    return write(({ context }) => ({ asked: context.asked.includes(why) ? context.asked : [...context.asked, why] }))
  }
  function rest(reason: RestReason) {
    return write(({ context }) => (context.resting.includes(reason) ? {} : { resting: [...context.resting, reason] }))
  }
}

const lost: Partial<TaskContext> = {
  error: {
    kind: 'lost',
    message: 'The answer to the call was never seen: whether a task exists is unknown. It was not sent again.',
  },
  backingOff: false,
  asked: [],
}

const adoptedProtocol = (generation: string) => (generation === 'none' ? null : 'extension')
const isSettled = (self: AnyActorRef) => self.getSnapshot().hasTag?.('terminal') === true

function without<Item>(items: readonly Item[], ...unwanted: readonly Item[]): readonly Item[] {
  return items.some((item) => unwanted.includes(item)) ? items.filter((item) => !unwanted.includes(item)) : items
}
