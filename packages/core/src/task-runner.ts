import type { TaskConnection } from './connection.ts'
import type { TaskHandle } from './handle.ts'
import type { FireOptions } from './options.ts'
import type { TaskReference } from './reference.ts'
import type { JsonObject, ToolResult } from './task.ts'
import type { TaskView } from './view.ts'

/**
 * Drives one tool call at a time. All verbs are bound and may be passed to `onClick`. `cancel`, `respond` and `refresh` never reject for what
 * the server does: a refused cancel or an undeliverable answer shows in the view's `error`.
 */
export interface TaskRunner<Input = JsonObject, Output = unknown> {
  /** Calls the tool. Resolves once the server has answered; rejects with a TaskError if the call failed, or with `signal.reason`. */
  fire(args?: Input, options?: FireOptions): Promise<TaskHandle<Output>>
  /** Asks the server to stop; resolves when that request is answered. */
  cancel(): Promise<void>
  /** Answers open prompts, by key; resolves when the answers are delivered. */
  respond(answers: Readonly<Record<string, JsonObject>>): Promise<void>
  /** Runs the same call again. Rejects where the view does not say `canRetry`. */
  retry(): Promise<TaskHandle<Output>>
  /** Reads an existing task; never calls the tool. Without an argument: the one that rests or is detached. */
  resume(reference?: TaskReference | null): Promise<void>
  /** A result or handle that someone else obtained (a host's opening tool call) becomes the run. */
  adopt(answer: JsonObject): void
  /** Reads once, now; resolves when that read is over. */
  refresh(): Promise<void>
  /** Stops reading and leaves the work alone; `resume()` goes on. */
  detach(): void
  /** Back to idle; returns the reference that was let go. */
  reset(): TaskReference | null
  /** The current run's outcome. Rejects with a TaskError, or with `signal.reason` when the wait is aborted (the work goes on). */
  result(options?: { signal?: AbortSignal }): Promise<ToolResult<Output>>
  /** Goes on over another connection to the same endpoint and of the same principal; reading resumes by itself. @throws TypeError for any other */
  useConnection(connection: TaskConnection): void
  getSnapshot(): TaskView<Output>
  /** What a server renders, and what hydration starts from. */
  getInitialSnapshot(): TaskView<Output>
  /** Calls the listener on every visible change. Reading rests while nobody is subscribed and no `result()` is pending. */
  subscribe(listener: () => void): () => void
  /** What to keep to find the task again; `null` when idle and when the run has ended. */
  readonly reference: TaskReference | null
  /** The XState actor, raw and unredacted. */
  readonly actor: unknown
  /** Lets everything go; pending promises reject as `superseded`. The work goes on. */
  dispose(): void
}
