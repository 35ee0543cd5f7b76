import type { TaskRunner } from '@mcp-task-machine/core'
import { actionsFor, outcomeOf, promptOf, type Part } from '@mcp-task-machine/example-ui'
import { useTaskView } from '@mcp-task-machine/react'
import { useId } from 'react'
import { PromptCard } from './prompt-card.tsx'
import { Status } from './status.tsx'
import { usePanelFocus } from './use-panel-focus.ts'

/** A part of a trip, and the group's runner that books it. */
export type Booking = Part & { readonly runner: TaskRunner }

/** One member of the group: where it stands, what it asks, and what can be done with it alone. */
export function TripMember({ booking: { title, runner } }: { booking: Booking }) {
  const view = useTaskView(runner)
  const { cancel, isCancelling, canLookAgain } = actionsFor(view)
  const prompts = Object.values(view.inputRequests).map(promptOf)
  const { panel, heading, prompt } = usePanelFocus(view.phase, prompts.length > 0)
  const outcome = outcomeOf(view)
  const id = useId()
  return (
    <li>
      <div className="member" role="group" ref={panel} aria-labelledby={id}>
        <div className="member-head">
          <h3 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h3>
          {canLookAgain && (
            <button type="button" className="button" onClick={() => void runner.resume()}>
              Look again
            </button>
          )}
          {cancel && (
            <button
              type="button"
              className="button"
              aria-disabled={isCancelling}
              aria-describedby={id}
              onClick={() => !isCancelling && void runner.cancel()}
            >
              {cancel}
            </button>
          )}
        </div>
        <Status view={view} />
        {view.isWorking && prompts.length === 0 && <p className="muted">{view.progress?.message}</p>}
        {outcome !== null && <p>{outcome}</p>}
        {prompts.map((asked, at) => (
          <PromptCard
            key={asked.key}
            ref={at === 0 ? prompt : undefined}
            prompt={asked}
            server={view.inputRequests[asked.key]?.server ?? null}
            given={undefined}
            onAnswer={(answer) => void runner.respond({ [asked.key]: answer })}
          />
        ))}
      </div>
    </li>
  )
}
