import type { JsonObject, TaskConnection } from '../../src/index.ts'

type Listener = Parameters<NonNullable<TaskConnection['onServerRequest']>>[0]

/** A request of the server to the client. */
export interface Asked {
  /** What the server was told: an answer, an error, or `app` if it was left to the app. */
  readonly told: { answer: JsonObject } | { error: unknown } | 'app' | undefined
  /** The server takes it back, and must not be told anything any more. */
  withdraw(): void
}

/** How servers of 2025-11-25 name the task that something is about, in `_meta`. */
export const relatedTo = (taskId: string): JsonObject => ({ 'io.modelcontextprotocol/related-task': { taskId } })

/** The part of a connection that hands on what the server asks. */
export function createAsker() {
  const listeners = new Set<Listener>()
  return {
    get size() {
      return listeners.size
    },
    onServerRequest(listener: Listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ask({ method, params }: JsonObject, taskId: string | null): Asked {
      const controller = new AbortController()
      const asked: { told: Asked['told']; withdraw(): void } = { told: undefined, withdraw: () => controller.abort() }
      const tell = (told: Asked['told']) => {
        if (!controller.signal.aborted) asked.told = told
      }
      const request = {
        method: method as string,
        params: { ...(params as JsonObject), ...(taskId !== null && { _meta: relatedTo(taskId) }) },
        taskId,
        signal: controller.signal,
      }
      let answer: ReturnType<Listener>
      for (const listener of listeners) answer ??= listener(request)
      if (!answer) tell('app')
      else
        answer.then(
          (given) => tell(given ? { answer: given } : 'app'),
          (error: unknown) => tell({ error }),
        )
      return asked
    },
  }
}
