import { keepFocus } from '@mcp-task-machine/example-ui'
import type { Attachment } from 'svelte/attachments'

/** Keeps the keyboard's place in a run's panel: into a prompt when it opens, and back when it has gone. */
export function panelFocus(phase: () => string, isAsking: () => boolean): Attachment<HTMLElement> {
  return (panel) => {
    const keeper = keepFocus(panel)
    $effect(() => {
      phase()
      const prompt = isAsking() && panel.querySelector<HTMLElement>('.prompt')
      if (prompt) keeper.enter(prompt)
      else keeper.settle(panel.querySelector('h3')!)
    })
    return () => keeper.stop()
  }
}
