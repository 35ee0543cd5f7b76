import type { DetachedReason, Phase, TaskErrorKind } from '@mcp-task-machine/core'
import { happened, problemOf, wordsFor } from '@mcp-task-machine/example-ui'
import { expect, test } from 'vitest'
import { problem, view } from './views.ts'

const titles: Record<Phase, string> = {
  idle: 'Not started',
  submitting: 'Sending',
  working: 'Working',
  input_required: 'Waiting for you',
  cancelling: 'Cancelling',
  detached: 'Out of reach',
  completed: 'Finished',
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Gone',
}

test.each(Object.entries(titles) as [Phase, string][])('%s is called "%s"', (phase, title) => {
  const detachedBecause = phase === 'detached' ? 'unreachable' : null
  expect(wordsFor(view({ phase, detachedBecause })).title).toBe(title)
})

test.each<DetachedReason>([
  'asked',
  'unmounted',
  'hidden',
  'offline',
  'connection',
  'unreachable',
  'unauthorized',
  'timeout',
  'lost',
])('that nobody reads because of "%s" is said in a sentence of its own', (detachedBecause) => {
  const { title, sentence } = wordsFor(view({ phase: 'working', detachedBecause }))
  expect(title).not.toBe('Working')
  expect(sentence).toMatch(/\.$/)
})

test('a cancel is told as it was: confirmed, unconfirmed, or too late', () => {
  expect(wordsFor(view({ phase: 'cancelled', confirmed: true })).sentence).toBe('The server has stopped the work.')
  expect(wordsFor(view({ phase: 'cancelled', confirmed: false })).sentence).toContain('Nobody has confirmed it')
  expect(wordsFor(view({ phase: 'completed', cancelRequested: true })).sentence).toContain('before it could be')
})

test.each<[TaskErrorKind, string | null]>([
  ['tool', 'The calendar hung up.'],
  ['protocol', 'The calendar hung up.'],
  ['expired', null],
  ['cancelled', null],
])('at the end, an error of kind "%s" adds %j', (kind, expected) => {
  expect(problemOf(view({ phase: 'failed', isTerminal: true, error: problem(kind) }))).toBe(expected)
})

test('a cancel or an answer that did not arrive is a problem while the run goes on', () => {
  expect(problemOf(view({ phase: 'working', error: problem('unreachable', 'Failed to fetch') }))).toBe(
    'This did not reach the server: Failed to fetch',
  )
})

test('the history names what a person could see, once', () => {
  const progress = (message: string) => ({ value: null, total: null, percent: null, message })
  const task = { taskId: 't', status: 'working' } as const
  const ask = { key: 'a', kind: 'elicitation', method: '', params: { message: 'Which?' }, server: null } as const
  const views = [
    view({ phase: 'submitting', attempt: 1 }),
    view({ phase: 'working', attempt: 1, task, progress: progress('Reading') }),
    view({ phase: 'working', attempt: 1, task: { ...task, pollInterval: 5 }, progress: progress('Reading') }),
    view({ phase: 'input_required', attempt: 1, task, inputRequests: { a: ask } }),
    view({ phase: 'working', attempt: 1, task }),
    view({ phase: 'cancelling', attempt: 1, task, cancelRequested: true }),
    view({ phase: 'completed', attempt: 1, task, cancelRequested: true, isTerminal: true }),
  ]
  expect(views.map((now, at) => happened(views[at - 1] ?? null, now))).toEqual([
    ['Sending'],
    ['Accepted by the server as a task', 'Working', 'Reading'],
    [],
    ['The server asks: Which?'],
    ['Answered', 'Working'],
    ['Cancel asked for'],
    ['Finished. It was done before it could be cancelled.'],
  ])
})
