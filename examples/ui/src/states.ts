import type { UseTaskOptions } from '@mcp-task-machine/core'
import { simulations } from '@mcp-task-machine/core/testing'
import { happened } from './history.ts'
import { jobs } from './jobs.ts'
import { createRuns, type Run, type Runs } from './runs.ts'

/** One state of a run, as a picture that a panel shows. */
export interface State {
  readonly name: string
  readonly title: string
  /** What a person sees and may do. */
  readonly sentence: string
  readonly run: Run
  /** Makes a panel begin, and stay, in this state. */
  readonly options: UseTaskOptions
}

/** All of them. */
export const states: readonly State[] = Object.entries(simulations).map(
  ([name, { title, sentence, ...simulation }]) => {
    const { view, args, connection } = simulation
    const at = Date.parse(view.task?.lastUpdatedAt ?? '2027-01-15T08:00:00Z')
    return {
      name,
      title,
      sentence,
      run: {
        id: name,
        tool: jobs[0].tool,
        args: { query: args['query'] ?? `Report on ${String(args['quarter'])}` },
        reference: null,
        history: happened(null, view).map((text) => ({ at, text })),
        starts: 0,
      },
      options: { connection: connection(), initialView: view },
    }
  },
)

/** The runs of the page: what panels write down is not kept, and not shown. */
export const still: Runs = createRuns(
  { getItem: () => JSON.stringify(states.map(({ run }) => run)), setItem: () => {} },
  'states',
)

/** Makes pictures of the panels that will be there: their buttons do nothing, and the page begins at its top. */
export function keepStill(): void {
  for (const type of ['click', 'submit'])
    document.addEventListener(
      type,
      (event) => {
        if (!(event.target as Element).closest('button, form')) return
        event.preventDefault()
        event.stopPropagation()
      },
      { capture: true },
    )
  // A question takes the focus when it opens, unless somebody is busy elsewhere.
  document.querySelector('h1')?.focus({ preventScroll: true })
}
