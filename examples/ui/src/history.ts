import type { TaskView } from '@mcp-task-machine/core'
import { problemOf, wordsFor } from './words.ts'

/** Something that happened in a run. */
export interface HistoryEntry {
  /** ms since the Unix epoch, by this page's clock. */
  readonly at: number
  readonly text: string
}

const KEPT = 200

/** What a person could see happen between two views, in order. */
export function happened(before: TaskView | null, now: TaskView): readonly string[] {
  const texts: string[] = []
  if (now.phase === 'idle') return texts
  if (now.attempt > 1 && now.attempt !== before?.attempt) texts.push(`Started again: run ${now.attempt}`)
  if (now.task?.taskId && !before?.task?.taskId) texts.push('Accepted by the server as a task')
  if (now.cancelRequested && !before?.cancelRequested) texts.push('Cancel asked for')
  if (before?.phase === 'input_required' && now.phase !== 'input_required' && !now.isTerminal) texts.push('Answered')
  const words = wordsFor(now)
  const isNew = !before || wordsFor(before).title !== words.title
  if (isNew && now.phase !== 'input_required' && now.phase !== 'cancelling')
    texts.push(now.isTerminal || now.detachedBecause ? `${words.title}. ${words.sentence}` : words.title)
  const message = now.progress?.message
  if (message && message !== before?.progress?.message && !now.isTerminal) texts.push(message)
  for (const [key, request] of Object.entries(now.inputRequests))
    if (!before?.inputRequests[key]) texts.push(`The server asks: ${String(request.params['message'] ?? key)}`)
  const problem = problemOf(now)
  if (problem && now.error !== before?.error) texts.push(problem)
  return texts
}

/** The history with these added; the oldest go when it grows long. */
export function addToHistory(
  history: readonly HistoryEntry[],
  texts: readonly string[],
  at: number,
): readonly HistoryEntry[] {
  return texts.length === 0 ? history : [...history, ...texts.map((text) => ({ at, text }))].slice(-KEPT)
}
