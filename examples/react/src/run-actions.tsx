import { actionsFor } from '@mcp-task-machine/example-ui'
import type { Task } from '@mcp-task-machine/react'

interface Props {
  readonly task: Task
  readonly onStartOver: () => void
  readonly onRemove: () => void
}

/** What a person can do with a run that was started. */
export function RunActions({ task, onStartOver, onRemove }: Props) {
  const { retry, canLookAgain, cancel, isCancelling, canStopWatching, canStartOver, canRemove } = actionsFor(task)
  return (
    <div className="actions">
      {retry && (
        <button type="button" className="button" data-kind="first" onClick={() => task.retry().catch(() => {})}>
          {retry}
        </button>
      )}
      {canLookAgain && (
        <button type="button" className="button" data-kind="first" onClick={() => void task.resume()}>
          Look again
        </button>
      )}
      {cancel && (
        <button
          type="button"
          className="button"
          aria-disabled={isCancelling}
          onClick={() => !isCancelling && void task.cancel()}
        >
          {cancel}
        </button>
      )}
      {canStopWatching && (
        <button type="button" className="button" data-kind="plain" onClick={task.detach}>
          Stop watching
        </button>
      )}
      {canStartOver && (
        <button type="button" className="button" onClick={onStartOver}>
          Start over
        </button>
      )}
      {canRemove && (
        <button type="button" className="button" data-kind="plain" onClick={onRemove}>
          Remove
        </button>
      )}
    </div>
  )
}
