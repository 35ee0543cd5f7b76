import type { JsonObject } from '@mcp-task-machine/core'
import type { useTask } from '@mcp-task-machine/react'
import { useState } from 'react'

interface Props {
  readonly task: ReturnType<typeof useTask>
  /** What the host was called with, if it was. */
  readonly args: JsonObject
}

/** What can be done now. The view says why, where one of them fails. */
export function Actions({ task, args }: Props) {
  const [query, setQuery] = useState('')
  const isAsking = Object.keys(args).length === 0
  const start = () => void task.fire(isAsking ? { query } : args).catch(() => {})
  const isStopping = task.phase === 'cancelling'
  return (
    <div className="actions">
      {task.isIdle && isAsking && (
        <label>
          Question <input value={query} onChange={(event) => setQuery(event.target.value)} />
        </label>
      )}
      {task.isIdle && (
        <button type="button" className="button" data-kind="first" disabled={isAsking && !query} onClick={start}>
          Start
        </button>
      )}
      {(task.canCancel || isStopping) && (
        <button type="button" className="button" disabled={isStopping} onClick={() => void task.cancel()}>
          {isStopping ? 'Cancelling…' : 'Cancel'}
        </button>
      )}
      {task.canRetry && (
        <button type="button" className="button" onClick={() => void task.retry().catch(() => {})}>
          Retry
        </button>
      )}
    </div>
  )
}
