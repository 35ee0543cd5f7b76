import { generations, reportAt, type Panel } from '@mcp-task-machine/example-ui'
import { useDataSync } from '@mcp-task-machine/react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Report } from './report.tsx'
import { ReportList } from './report-list.tsx'
import { RunList } from './run-list.tsx'
import { Trip } from './trip.tsx'

const onHashChange = (listener: () => void) => {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/** The whole page: the runs, or the report that the address names, beside the list of reports. */
export function App({ runs, reports, url, generation }: Omit<Panel, 'connection'>) {
  const hash = useSyncExternalStore(onHashChange, () => location.hash)
  const open = reportAt(hash)
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(hash)
  const [trip, setTrip] = useState(0)

  // The list is the server's to announce: it is read again when the server says that it changed, not when a run of ours ends.
  useDataSync(reports.read)

  // What was read has gone with its focus: the reader begins at the top of what came.
  useEffect(() => {
    if (shown.current !== hash) heading.current?.focus()
    shown.current = hash
  }, [hash])

  return (
    <div className="page">
      <header className="masthead">
        <h1>Research panel</h1>
        <p className="muted">Long tool calls, run by the MCP server at {url}</p>
        <nav className="muted" aria-label="Protocol version">
          {generations.map((each) => (
            <a key={each} href={`?mcp=${each}`} aria-current={each === generation ? 'page' : undefined}>
              MCP {each}
            </a>
          ))}
        </nav>
        <p className="muted">
          <a href="states.html">All states of a run</a>
        </p>
      </header>
      <div className="columns">
        <main>
          {open === null ? (
            <RunList runs={runs} heading={heading} />
          ) : (
            <Report key={open} uri={open} reports={reports} heading={heading} />
          )}
          {/* Its group lives as long as it does: hidden, it goes on. */}
          <div hidden={open !== null}>
            <Trip key={trip} isNext={trip > 0} onStartOver={() => setTrip(trip + 1)} />
          </div>
        </main>
        <aside aria-labelledby="reports-heading">
          <ReportList reports={reports} open={open} />
        </aside>
      </div>
    </div>
  )
}
