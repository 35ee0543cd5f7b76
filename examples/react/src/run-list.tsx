import type { Runs } from '@mcp-task-machine/example-ui'
import { useRef, useSyncExternalStore, type RefObject } from 'react'
import { RunPanel } from './run-panel.tsx'

/** All runs, the newest first, each with a runner of its own. */
export function RunList({ runs, heading }: { runs: Runs; heading: RefObject<HTMLHeadingElement | null> }) {
  const list = useSyncExternalStore(runs.subscribe, runs.getSnapshot)
  const add = useRef<HTMLButtonElement>(null)
  const remove = (id: string) => {
    runs.remove(id)
    add.current?.focus()
  }
  return (
    <section aria-labelledby="runs-heading">
      <div className="section-head">
        <h2 id="runs-heading" ref={heading} tabIndex={-1}>
          Runs
        </h2>
        <button type="button" className="button" ref={add} onClick={runs.add}>
          New run
        </button>
      </div>
      <div className="stack">
        {list.map((run) => (
          <RunPanel key={run.id} run={run} runs={runs} onRemove={remove} />
        ))}
      </div>
      {list.length === 0 && <p className="empty">No runs. “New run” begins one.</p>}
    </section>
  )
}
