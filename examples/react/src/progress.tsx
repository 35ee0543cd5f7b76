import type { Progress as Facts } from '@mcp-task-machine/core'
import { formatProgress } from '@mcp-task-machine/example-ui'

/** How far the work is: a bar that only says "going on" where the server gives no numbers. */
export function Progress({ progress }: { progress: Facts | null }) {
  const percent = progress?.percent ?? null
  return (
    <div className="progress">
      <progress aria-label="Progress" max={100} {...(percent !== null && { value: percent })} />
      <p className="progress-line">
        <span>{progress?.message}</span>
        <span className="muted">{progress && formatProgress(progress)}</span>
      </p>
    </div>
  )
}
