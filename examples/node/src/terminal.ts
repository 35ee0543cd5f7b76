import type { TaskView } from '@mcp-task-machine/core'
import { clearLine, cursorTo } from 'node:readline'

/** One line that is written over while the work goes on; a new line for each change where the output is no terminal. */
export function createProgressLine(output = process.stdout) {
  let shown = ''
  return {
    show({ phase, progress, detachedBecause }: TaskView) {
      const percent = progress?.percent == null ? '' : ` ${Math.round(progress.percent)} %`
      const message = progress?.message ? `: ${progress.message}` : ''
      const line = `${phase}${detachedBecause ? ` (${detachedBecause})` : ''}${percent}${message}`
      if (line === shown) return
      shown = line
      if (!output.isTTY) return void output.write(`${line}\n`)
      cursorTo(output, 0)
      clearLine(output, 0)
      // A longer one would wrap, and only its last row be written over.
      output.write(line.slice(0, output.columns - 1))
    },
    say(text: string) {
      output.write(shown && output.isTTY ? `\n${text}\n` : `${text}\n`)
      shown = ''
    },
  }
}

/** Prints one inspection event of XState; what belongs to the user is redacted before it gets here. */
export function printEvent(event: unknown): void {
  const {
    type,
    actorRef,
    event: received,
    snapshot,
  } = event as {
    type: string
    actorRef: { id: string; sessionId: string }
    event?: { type: string }
    snapshot?: { value?: unknown; status?: string }
  }
  const { id, sessionId } = actorRef
  const state = snapshot && JSON.stringify(snapshot.value ?? snapshot.status)
  process.stderr.write(
    `[inspect] ${[type, `${id} (${sessionId})`, received?.type, state].filter(Boolean).join('  ')}\n`,
  )
}
