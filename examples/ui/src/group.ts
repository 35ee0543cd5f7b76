import type { JsonObject, Progress, TaskGroupView, TaskView } from '@mcp-task-machine/core'
import type { PhaseWords } from './words.ts'

/** The tool of the example server that books one part of a trip. */
export const bookingTool = 'book_part'

/** What a whole trip consists of: the server's word for each part, and a person's. */
export const parts = [
  { part: 'flight', title: 'Flight' },
  { part: 'hotel', title: 'Hotel' },
  { part: 'car', title: 'Car' },
  { part: 'restaurant', title: 'Restaurant' },
] as const
export type Part = (typeof parts)[number]

/** The form of a whole trip, as the schema of an elicitation. */
export const tripSchema: JsonObject = {
  type: 'object',
  properties: {
    destination: { type: 'string', title: 'Destination', minLength: 1, maxLength: 100, default: 'Lisbon' },
    seconds: { type: 'number', title: 'Seconds per booking', minimum: 0, maximum: 600, default: 6 },
  },
  required: ['destination', 'seconds'],
}

const isOver = ({ isTerminal, phase }: TaskView) => isTerminal || phase === 'detached'
const overOf = ({ views }: TaskGroupView) => views.filter(isOver).length

/** Whether nothing of a group is under way any more. */
export function isSettled(view: TaskGroupView): boolean {
  return view.views.every(({ isWorking }) => !isWorking)
}

/** How far a group is: a percentage where something is known, and how many of its members are over. */
export function progressOfGroup(view: TaskGroupView): Progress {
  return { value: overOf(view), total: view.views.length, percent: view.percent, message: null }
}

/** How each ended, in words: "2 finished, 1 failed, 1 cancelled". */
function summaryOf({ completed, failed, cancelled, expired, detached }: TaskGroupView['counts']): string {
  const said = Object.entries({ finished: completed, failed, cancelled, gone: expired, unknown: detached })
  return said.flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : [])).join(', ')
}

/** Says in words where a group stands as a whole. */
export function wordsForGroup(view: TaskGroupView): PhaseWords {
  const { views, counts } = view
  if (views.length === 0) return { title: 'Not started', sentence: '', tone: 'quiet' }
  const over = `${overOf(view)} of ${views.length} are over.`
  if (counts.input_required > 0) return { title: 'Waiting for you', sentence: over, tone: 'asking' }
  if (isSettled(view)) {
    const isAllWell = counts.completed === views.length
    return { title: 'All settled', sentence: `${summaryOf(counts)}.`, tone: isAllWell ? 'good' : 'trouble' }
  }
  const isCancelling = views.every((each) => isOver(each) || each.phase === 'cancelling')
  return { title: isCancelling ? 'Cancelling' : 'Working', sentence: over, tone: 'busy' }
}

/** What a member has brought, in the tool's own words; `null` where it failed, or has not ended. */
export function outcomeOf({ phase, result }: TaskView): string | null {
  const text = result?.content.find(({ type }) => type === 'text')?.['text']
  return phase === 'completed' && typeof text === 'string' ? text : null
}
