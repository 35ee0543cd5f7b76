import type { Task } from '@mcp-task-machine/react'

interface Props {
  readonly task: Task
  readonly onStartOver: () => void
  readonly onRemove: () => void
}

/** What a person can do with a run that was started. */
export function RunActions({ task, onStartOver, onRemove }: Props) {
  const { phase, detachedBecause, isWorking, isTerminal, canCancel, canRetry } = task
  const isCancelling = phase === 'cancelling'
  const canLookAgain = detachedBecause === 'asked' || (phase === 'detached' && detachedBecause !== 'lost')
  return (
    <div className="actions">
      {canRetry && (
        <button type="button" className="button" data-kind="first" onClick={() => task.retry().catch(() => {})}>
          {detachedBecause === 'lost' ? 'Send again' : 'Try again'}
        </button>
      )}
      {canLookAgain && (
        <button type="button" className="button" data-kind="first" onClick={() => void task.resume()}>
          Look again
        </button>
      )}
      {(canCancel || isCancelling) && (
        // Not disabled: a button that is loses the focus to nowhere.
        <button
          type="button"
          className="button"
          aria-disabled={isCancelling}
          onClick={() => !isCancelling && void task.cancel()}
        >
          {isCancelling ? 'Cancelling…' : 'Cancel'}
        </button>
      )}
      {isWorking && detachedBecause === null && (
        <button type="button" className="button" data-kind="plain" onClick={task.detach}>
          Stop watching
        </button>
      )}
      {(isTerminal || !isWorking) && (
        <button type="button" className="button" onClick={onStartOver}>
          Start over
        </button>
      )}
      {(isTerminal || !isWorking || detachedBecause === 'asked') && (
        <button type="button" className="button" data-kind="plain" onClick={onRemove}>
          Remove
        </button>
      )}
    </div>
  )
}
