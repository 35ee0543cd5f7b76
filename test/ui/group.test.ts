import type { Phase, TaskGroupView, TaskView, ToolResult } from '@mcp-task-machine/core'
import { isSettled, outcomeOf, progressOfGroup, wordsForGroup } from '@mcp-task-machine/example-ui'
import { expect, test } from 'vitest'
import { view } from './views.ts'

const terminal: readonly Phase[] = ['completed', 'failed', 'cancelled', 'expired']
const phases: readonly Phase[] = [
  'idle',
  'submitting',
  'working',
  'input_required',
  'cancelling',
  'detached',
  ...terminal,
]

/** A group whose members stand there. */
function group(stand: readonly Phase[], percent: number | null = null): TaskGroupView {
  const views = stand.map((phase): TaskView => {
    const isTerminal = terminal.includes(phase)
    return view({ phase, isTerminal, isWorking: !isTerminal && phase !== 'detached' })
  })
  const count = (phase: Phase) => stand.filter((each) => each === phase).length
  const counts = Object.fromEntries(phases.map((phase) => [phase, count(phase)])) as TaskGroupView['counts']
  return { views, counts, percent }
}

test.each<[readonly Phase[], string, string, string]>([
  [[], 'Not started', '', 'quiet'],
  [['submitting', 'working'], 'Working', '0 of 2 are over.', 'busy'],
  [['completed', 'input_required', 'working'], 'Waiting for you', '1 of 3 are over.', 'asking'],
  [['cancelling', 'cancelled', 'cancelling'], 'Cancelling', '1 of 3 are over.', 'busy'],
  [['completed', 'completed'], 'All settled', '2 finished.', 'good'],
  [['completed', 'failed', 'cancelled'], 'All settled', '1 finished, 1 failed, 1 cancelled.', 'trouble'],
  [['expired', 'detached'], 'All settled', '1 gone, 1 unknown.', 'trouble'],
])('a group of %j is "%s"', (stand, title, sentence, tone) => {
  expect(wordsForGroup(group(stand))).toEqual({ title, sentence, tone })
})

test('it has settled once nothing is under way, and only then', () => {
  expect(isSettled(group(['completed', 'input_required']))).toBe(false)
  expect(isSettled(group(['completed', 'detached']))).toBe(true)
})

test('its progress is a percentage where one is known, and a count in any case', () => {
  expect(progressOfGroup(group(['working', 'submitting']))).toEqual({
    value: 0,
    total: 2,
    percent: null,
    message: null,
  })
  expect(progressOfGroup(group(['failed', 'working'], 50))).toMatchObject({ value: 1, total: 2, percent: 50 })
})

test('what a member has brought is told where it finished, and nothing where it did not', () => {
  const result = { content: [{ type: 'text', text: 'Booked.' }] } as unknown as ToolResult<unknown>
  expect(outcomeOf(view({ phase: 'completed', result }))).toBe('Booked.')
  expect(outcomeOf(view({ phase: 'failed', result }))).toBeNull()
  expect(outcomeOf(view({ phase: 'working' }))).toBeNull()
})
