import type { DetachedReason, TaskView } from '@mcp-task-machine/core'

/** A phase as a person reads it. */
export interface PhaseWords {
  readonly title: string
  readonly sentence: string
  /** Chooses the colour of the badge; the title says the same. */
  readonly tone: 'quiet' | 'busy' | 'asking' | 'trouble' | 'good' | 'bad'
}

const resting: Partial<Record<DetachedReason, readonly [title: string, sentence: string]>> = {
  asked: ['Not watching', 'The work goes on at the server; this page has stopped looking.'],
  unmounted: ['Not watching', 'The work goes on at the server; this page has stopped looking.'],
  hidden: ['Not watching', 'This page is hidden, so it does not look.'],
  offline: ['Offline', 'The work goes on at the server. This page looks again when you are online.'],
  connection: ['Disconnected', 'The work goes on at the server. This page looks again once it is connected.'],
  unreachable: ['Out of reach', 'The server does not answer. The work may still be going on.'],
  unauthorized: ['Not allowed', 'The server no longer lets this page look. The work may still be going on.'],
  timeout: ['Took too long', 'This page has stopped waiting. The work may still be going on.'],
  lost: ['Not known', 'The answer to the call was lost, so nobody knows whether the work was started.'],
}

const failed: Readonly<Record<string, string>> = {
  tool: 'The tool ran and reports a problem.',
  protocol: 'The call ended with an error and has no result.',
  malformed: 'The server sent something this page cannot read.',
  'not-sent': 'Nothing was sent, so nothing was started.',
  unsupported: 'The server cannot do this.',
}

/** Says in words where a run stands. */
export function wordsFor(view: TaskView): PhaseWords {
  const { phase, detachedBecause, error, confirmed, cancelRequested, isStale } = view
  if (detachedBecause) {
    const [title, sentence] = resting[detachedBecause] ?? ['Not watching', '']
    return { title, sentence, tone: phase === 'detached' ? 'trouble' : 'quiet' }
  }
  switch (phase) {
    case 'idle':
      return { title: 'Not started', sentence: '', tone: 'quiet' }
    case 'submitting':
      return view.progress
        ? { title: 'Working', sentence: 'The request stays open until the work is done.', tone: 'busy' }
        : { title: 'Sending', sentence: 'The server has not answered yet.', tone: 'busy' }
    case 'input_required':
      return { title: 'Waiting for you', sentence: 'The work goes on once you have answered.', tone: 'asking' }
    case 'cancelling':
      return { title: 'Cancelling', sentence: 'The server was asked to stop. It may still finish first.', tone: 'busy' }
    case 'completed':
      return {
        title: 'Finished',
        sentence: cancelRequested ? 'It was done before it could be cancelled.' : 'The result is below.',
        tone: 'good',
      }
    case 'failed':
      return { title: 'Failed', sentence: failed[error?.kind ?? ''] ?? 'There is no result.', tone: 'bad' }
    case 'cancelled':
      return {
        title: 'Cancelled',
        sentence:
          confirmed === false
            ? 'Nobody has confirmed it: the work may have gone on for a while.'
            : 'The server has stopped the work.',
        tone: 'quiet',
      }
    case 'expired':
      return { title: 'Gone', sentence: 'The server no longer keeps this run.', tone: 'bad' }
    default:
      return {
        title: 'Working',
        sentence: isStale ? 'The server did not answer just now; trying again.' : 'You may leave this page meanwhile.',
        tone: 'busy',
      }
  }
}

// What the sentence of the phase says already; the raw text of a browser or a server would only repeat it.
const told: readonly string[] = ['cancelled', 'expired', 'unreachable', 'timeout', 'lost']

/** What went wrong, beyond what the phase says; `null` where nothing did. */
export function problemOf({ phase, isTerminal, error }: TaskView): string | null {
  if (!error) return null
  if (isTerminal || phase === 'detached') return told.includes(error.kind) ? null : error.message
  return told.includes(error.kind) ? `This did not reach the server: ${error.message}` : error.message
}
