import type { Phase } from '../view.ts'

// Lists of transitions that several states share: plain data, like the chart.

export const live = ['working', 'cancellable'] as const

/** How a run ends, wherever the news comes from. */
export const endings = [
  { guard: 'retriesWork', target: '#task.submitting.retrying', actions: ['recordNews', 'planRetry', 'ownRun'] },
  { guard: 'isCompleted', target: '#task.terminal.completed', actions: 'recordNews' },
  { guard: 'isFailed', target: '#task.terminal.failed', actions: 'recordNews' },
  { guard: 'isCancelled', target: '#task.terminal.cancelled', actions: 'recordNews' },
  { guard: 'isExpired', target: '#task.terminal.expired', actions: 'recordNews' },
  { guard: 'needsPayload', target: '#task.working.settling', actions: 'recordNews' },
] as const

/** Cancelled by somebody else, who may be an earlier page of ours. */
export const beingCancelled = { guard: 'isBeingCancelled', target: '#task.cancelling', actions: 'recordNews' } as const

/** What the answer to the create call leads to. */
export const answers = [
  ...endings,
  { guard: 'asksThough', target: '#task.terminal.cancelled', actions: 'recordNothingRuns' },
  { guard: 'asksForever', target: '#task.terminal.failed', actions: 'recordEndlessRounds' },
  { guard: 'asksRound', target: '#task.submitting.prompting', actions: 'recordRound' },
  { guard: 'shedsLoad', target: '#task.submitting.retrying', actions: ['recordRound', 'planRound'] },
  { guard: 'isCancelWished', target: '#task.cancelling', actions: 'recordNews' },
  beingCancelled,
  { target: '#task.working', actions: 'recordNews' },
] as const

/** The server does not know the task, or no longer. */
export const gone = [
  { guard: 'mayBeOurDoing', target: '#task.terminal.cancelled', actions: 'recordGoneAfterCancel' },
  { target: '#task.terminal.expired', actions: 'recordGone' },
] as const

/** A read that will not come: trouble keeps the task, anything else ends the run. */
export const stops = [
  { guard: 'isTrouble', target: '#task.working.detached', actions: 'recordDetached' },
  { target: '#task.terminal.failed', actions: 'recordTrouble' },
] as const

export const crash = { target: '#task.terminal.failed', actions: 'recordTrouble' } as const

/** Reading a task that somebody else knew. */
export const references = [
  { guard: 'isReferenceLost', target: '#task.submitting.lost', actions: ['letGo', 'resumeLost'] },
  { guard: 'isReferenceCancelled', target: '#task.cancelling', reenter: true, actions: ['letGo', 'resumeReference'] },
  { guard: 'hasReference', target: '#task.working', reenter: true, actions: ['letGo', 'resumeReference'] },
] as const

export const otherReferences = [
  references[0],
  { ...references[1], guard: 'isOtherCancelled' },
  { ...references[2], guard: 'isOtherReference' },
] as const

/** Reading and waiting, the same while working and while cancelling. */
export const reading = {
  'poll.trouble': { actions: 'noteTrouble' },
  'poll.recovered': { actions: 'noteRecovery' },
  'poll.stopped': stops,
  'poll.answered': { actions: 'noteAnswered' },
  'submit.progress': { guard: 'isCurrent', actions: 'recordProgress' },
  refresh: { actions: 'readNow' },
  resume: [...otherReferences, { actions: ['goOn', 'readNow'] }],
  reconnected: { actions: ['goOn', 'readNow'] },
  'deadline.ttl': { actions: 'decideTtl' },
  'deadline.wait': { actions: 'decideWait' },
  'deadline.grace': { actions: 'noteOverdue' },
  'poll.asked': [
    { guard: 'decidesWait', target: '#task.working.detached', actions: 'recordWaitOver' },
    { guard: 'isOutOfTime', target: '#task.terminal.expired', actions: 'recordOutOfTime' },
    { guard: 'needsGrace', actions: ['noteAsked', 'grantGrace'] },
    { actions: 'noteAsked' },
  ],
} as const

/** Back to reading after trouble, wherever the run stood. */
export const goingOn = [
  { guard: 'hasEnded', target: 'settling', actions: 'goOn' },
  { guard: 'isCancelWished', target: '#task.cancelling', actions: ['goOn', 'readNow'] },
  { target: 'watching', actions: ['goOn', 'readNow'] },
] as const

export const settled = <Word extends Phase>(phase: Word) =>
  [{ type: 'announce', params: { phase } }, { type: 'tellSettled', params: { phase } }, 'fireNext'] as const

export const lookAgain = [
  ...references,
  { guard: 'canLookAgain', target: '#task.working', actions: 'lookAgain' },
] as const
