import { problemOf, wordsFor } from '@mcp-task-machine/example-ui'
import type { TaskView } from '@mcp-task-machine/core'

/** Where the run stands. Read out when it changes; the progress between two phases is not. */
export function Status({ view }: { view: TaskView }) {
  const { title, sentence, tone } = wordsFor(view)
  const problem = problemOf(view)
  return (
    <div role="status" className="status">
      {!view.isIdle && (
        <p className="status-line">
          <span className="badge" data-tone={tone}>
            {title}
          </span>
          <span className="muted">{sentence}</span>
        </p>
      )}
      {problem !== null && <p className="problem">{problem}</p>}
    </div>
  )
}
