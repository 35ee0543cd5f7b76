import { formatTime, type HistoryEntry } from '@mcp-task-machine/example-ui'

/** What happened in a run, oldest first. */
export function History({ history }: { history: readonly HistoryEntry[] }) {
  return (
    <details>
      <summary>What happened ({history.length})</summary>
      <ol className="history">
        {history.map(({ at, text }, nth) => (
          <li key={nth}>
            <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}
