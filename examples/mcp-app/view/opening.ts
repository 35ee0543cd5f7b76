import type { JsonObject } from '@mcp-task-machine/core'
import type { App } from '@modelcontextprotocol/ext-apps'

/** The call that the host opened the view with; each part is told when the host has it. */
export interface Opening {
  readonly args: JsonObject
  readonly answer: JsonObject | null
}

/** Keeps what the host tells of its opening call. Make it before the app is connected, so that nothing is missed. */
export function watchOpening(app: App) {
  let opening: Opening = { args: {}, answer: null }
  const listeners = new Set<() => void>()
  const change = (part: Partial<Opening>) => {
    opening = { ...opening, ...part }
    for (const listener of listeners) listener()
  }
  app.addEventListener('toolinput', ({ arguments: args }) => change({ args: args ?? {} }))
  app.addEventListener('toolresult', (answer) => change({ answer }))
  return {
    current: () => opening,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
