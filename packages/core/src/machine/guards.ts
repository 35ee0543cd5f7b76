import { isTerminal } from '../task.ts'
import { isEmpty, sameJson } from '../wire/json.ts'
import type { Asked, TaskContext } from './context.ts'
import { failureOf, newsOf } from './heard.ts'

interface Moment {
  readonly context: TaskContext
  readonly event: object
}

const outcomeOf = ({ event }: Moment) => newsOf(event)?.outcome?.as
const referenceOf = (event: object) =>
  (event as { reference?: { taskId: string | null; cancelRequested?: unknown } }).reference
const isOther = (context: TaskContext, event: object) =>
  referenceOf(event) !== undefined && referenceOf(event)?.taskId !== context.task?.taskId
const sortOf = ({ event }: Moment) => failureOf(event)?.sort

const whyOf = (event: object) => (event as { why?: readonly Asked[] }).why ?? []
const hasPassed = ({ deadlines: { ttl } }: TaskContext, event: object) =>
  whyOf(event).includes('ttl') && ttl !== null && ttl <= (event as unknown as { at: number }).at

/** Every question the chart asks. */
export const guards = {
  isCompleted: (moment: Moment) => outcomeOf(moment) === 'completed',
  isFailed: (moment: Moment) => outcomeOf(moment) === 'failed',
  isCancelled: (moment: Moment) => outcomeOf(moment) === 'cancelled',
  isExpired: (moment: Moment) => outcomeOf(moment) === 'expired',
  /** The work failed, and the caller's policy runs it again. */
  retriesWork: ({ event }: Moment) => (newsOf(event) ?? failureOf(event))?.retryAt !== undefined,
  /** The task has ended, and its payload is not in hand. */
  needsPayload: ({ event }: Moment) => {
    const task = newsOf(event)?.task
    return task !== undefined && isTerminal(task.status)
  },
  hasTask: ({ event }: Moment) => newsOf(event)?.task !== undefined,
  asksInput: ({ event }: Moment) => newsOf(event)?.prompts !== undefined,
  /** A known key with other content: the server broke its own rule (EXT-INPUT-7). */
  breaksPrompts: ({ context, event }: Moment) =>
    Object.entries(newsOf(event)?.prompts ?? {}).some(([key, { params, method }]) => {
      const open = Object.hasOwn(context.inputRequests, key) ? context.inputRequests[key] : undefined
      return open !== undefined && !(open.method === method && sameJson(open.params, params))
    }),
  /** The call itself asks before any work has begun (MRTR-1). */
  asksRound: ({ event }: Moment) => newsOf(event)?.requestState !== undefined && !isEmpty(newsOf(event)?.prompts ?? {}),
  /** The call is to be sent again without an answer: the server sheds load (MRTR-3). */
  shedsLoad: ({ event }: Moment) => newsOf(event)?.requestState !== undefined,
  /** No caller and no server goes through this many rounds in earnest. */
  asksForever: ({ context, event }: Moment) => newsOf(event)?.requestState !== undefined && context.rounds >= 10,
  asksThough: ({ context, event }: Moment) => context.cancelRequested && newsOf(event)?.requestState !== undefined,
  answersAll: ({ context, event }: Moment) => {
    const { answers } = event as { answers?: object }
    return Object.keys(context.inputRequests).every((key) => Object.hasOwn(answers ?? {}, key))
  },
  answersSome: ({ context, event }: Moment) => {
    const { answers } = event as { answers?: object }
    return Object.keys(answers ?? {}).some((key) => Object.hasOwn(context.inputRequests, key))
  },
  hasUnsent: ({ context, event }: Moment) => {
    const sent = new Set((event as { output?: { keys?: readonly string[] } }).output?.keys)
    return Object.entries(context.answered).some(([key, answer]) => !answer.sent && !sent.has(key))
  },
  isCancelWished: ({ context }: Moment) => context.cancelRequested,
  cannotCancel: ({ context }: Moment) => context.cancelUnsupported || context.mayCancel === false,
  /** A cancel of ours may have reached the server, so that "not found" is its doing. */
  mayBeOurDoing: ({ context }: Moment) => context.cancelRequested && context.cancelLanded,
  /** The tool was not called yet: what it may do is asked, or there is no room. */
  isUnsent: ({ event }: Moment) => (event as { isUnsent?: boolean }).isUnsent === true,
  /** The create call has no answer, and may have been carried out. */
  isLost: ({ event }: Moment) => failureOf(event)?.kind === 'lost',
  provesNothingRuns: (moment: Moment) =>
    moment.context.cancelRequested &&
    (sortOf(moment) === 'unsent' || sortOf(moment) === 'refused' || sortOf(moment) === 'unauthorized'),
  isGone: (moment: Moment) => sortOf(moment) === 'gone',
  /** The id is gone, but the status said before that the work had failed. */
  isGoneFailed: (moment: Moment) => sortOf(moment) === 'gone' && moment.context.task?.status === 'failed',
  /** The server refused our cancel, and the read that explains it has come. */
  wasRefused: ({ context }: Moment) => context.refusal !== null,
  isClosed: (moment: Moment) => sortOf(moment) === 'closed',
  wasHeard: ({ context }: Moment) => context.cancelHeard,
  /** `maxWait` has passed, and the payload that was awaited all the same did not come. */
  isOvertime: (moment: Moment) => moment.context.overtime && guards.isTrouble(moment),
  isRefused: (moment: Moment) => sortOf(moment) === 'refused',
  isFailure: ({ event }: Moment) => failureOf(event) !== undefined,
  /** Trouble that keeps the task: it can be resumed. */
  isTrouble: (moment: Moment) => ['transient', 'unsent', 'unauthorized', 'closed'].includes(sortOf(moment) ?? ''),
  isCurrent: ({ context, event }: Moment) => (event as { epoch?: number }).epoch === context.epoch,
  decidesWait: ({ event }: Moment) => whyOf(event).includes('wait'),
  decidesCancel: ({ event }: Moment) =>
    whyOf(event).includes('cancel') && (event as { failed?: boolean }).failed !== true,
  /** The ttl has passed, and neither the last read nor one interval of grace changed that. */
  isOutOfTime: ({ context, event }: Moment) =>
    hasPassed(context, event) && (context.ttlGrace || (event as { failed?: boolean }).failed === true),
  needsGrace: ({ context, event }: Moment) => hasPassed(context, event),
  hasEnded: ({ context }: Moment) => context.task !== null && isTerminal(context.task.status),
  hasPrompts: ({ context }: Moment) => !isEmpty(context.inputRequests),
  replaces: ({ context }: Moment) => context.whenBusy === 'replace',
  queues: ({ context }: Moment) => context.whenBusy === 'queue',
  /** Calls that were fired earlier go first. */
  waitsItsTurn: ({ context, event }: Moment) =>
    context.queue.length > 0 && (event as { queued?: boolean }).queued !== true,
  knowsArguments: ({ context }: Moment) => context.args !== null,
  /** By its arguments or by its id, and the server does not forbid it. */
  canRunAgain: ({ context }: Moment) => context.mayRetry !== false && (context.args !== null || context.isRepeatable),
  /** The server says that somebody has cancelled it. */
  isBeingCancelled: ({ event }: Moment) => newsOf(event)?.isBeingCancelled === true,
  hasReference: ({ event }: Moment) => referenceOf(event) !== undefined,
  isReferenceLost: ({ event }: Moment) => referenceOf(event)?.taskId === null,
  isReferenceCancelled: ({ event }: Moment) => referenceOf(event)?.cancelRequested === true,
  /** A reference of another task than the one that is followed. */
  isOtherReference: ({ context, event }: Moment) => isOther(context, event),
  isOtherCancelled: ({ context, event }: Moment) =>
    isOther(context, event) && referenceOf(event)?.cancelRequested === true,
  canLookAgain: ({ context }: Moment) =>
    context.task?.taskId != null && (context.error?.kind === 'expired' || context.confirmed === false),
}
