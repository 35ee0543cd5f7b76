import { keepFocus, type FocusKeeper } from '@mcp-task-machine/example-ui'
import { useEffect, useRef } from 'react'

/** Keeps the keyboard's place in a run: into a prompt when it opens, and back when it has gone. */
export function usePanelFocus(phase: string, isAsking: boolean) {
  const panel = useRef<HTMLElement & HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const prompt = useRef<HTMLElement>(null)
  const keeper = useRef<FocusKeeper>(null)

  useEffect(() => {
    keeper.current = keepFocus(panel.current!)
    return () => keeper.current?.stop()
  }, [])
  useEffect(() => {
    if (isAsking && prompt.current) keeper.current?.enter(prompt.current)
    else keeper.current?.settle(heading.current!)
  }, [isAsking, phase])

  return { panel, heading, prompt }
}
