import type { TaskView } from '@mcp-task-machine/core'

/** What a person can do with a run that was started; a text is the button's, `null` stands for none. */
export interface Actions {
  readonly retry: string | null
  readonly canLookAgain: boolean
  readonly cancel: string | null
  /** The cancel button stays while it is asked for, but does nothing: one that is disabled loses the focus to nowhere. */
  readonly isCancelling: boolean
  readonly canStopWatching: boolean
  readonly canStartOver: boolean
  readonly canRemove: boolean
}

export function actionsFor({ phase, detachedBecause, isWorking, isTerminal, canCancel, canRetry }: TaskView): Actions {
  const isCancelling = phase === 'cancelling'
  const isAtRest = isTerminal || !isWorking
  return {
    retry: canRetry ? (detachedBecause === 'lost' ? 'Send again' : 'Try again') : null,
    canLookAgain: detachedBecause === 'asked' || (phase === 'detached' && detachedBecause !== 'lost'),
    cancel: isCancelling ? 'Cancelling…' : canCancel ? 'Cancel' : null,
    isCancelling,
    canStopWatching: isWorking && detachedBecause === null,
    canStartOver: isAtRest,
    canRemove: isAtRest || detachedBecause === 'asked',
  }
}
