import { addressOf, type Reports } from '@mcp-task-machine/example-ui'
import { useSyncExternalStore } from 'react'

/** The reports that the server keeps, whoever had them written. */
export function ReportList({ reports, open }: { reports: Reports; open: string | null }) {
  const { reports: list, problem } = useSyncExternalStore(reports.subscribe, reports.getSnapshot)
  return (
    <>
      <div className="section-head">
        <h2 id="reports-heading">Reports</h2>
      </div>
      {problem !== null && <p className="problem">The list could not be read: {problem}</p>}
      {list === null && problem === null && <p className="empty">Reading the list.</p>}
      {list?.length === 0 && <p className="empty">None yet. A research run writes one.</p>}
      {list !== null && list.length > 0 && (
        <ul className="reports">
          {list.map(({ uri, title }) => (
            <li key={uri}>
              <a href={addressOf(uri)} aria-current={uri === open ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
