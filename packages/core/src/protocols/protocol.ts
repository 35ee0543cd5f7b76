import type { RequestOptions, TaskConnection } from '../connection.ts'
import type { JsonObject, Task } from '../task.ts'
import type { News } from '../wire/news.ts'

/** One way of running a tool call that takes its time. Made by `extension()` or `plain()`. */
export interface TaskProtocol {
  readonly name: string
}

/** Who answers; its endpoint is looked up only for prompts, which name it. */
export type Server = Pick<TaskConnection, 'endpoint'>

/** One call, as the caller meant it. */
export interface Call {
  readonly tool: string
  readonly args: JsonObject
  readonly meta?: JsonObject | undefined
  /** The answers of a round that the call itself asked for (MRTR-1, MRTR-2). */
  readonly round?: { readonly answers: JsonObject; readonly requestState: string | null } | undefined
}

/**
 * What the actors ask of a protocol. It knows the words on the wire and no timers: every method either reads an answer or sends
 * exactly one request and hands on the connection's own promise.
 */
export interface Protocol extends TaskProtocol {
  /** The protocol that really speaks, where that depends on the connection and the tool. */
  choose?(connection: TaskConnection, tool: string): Protocol | Promise<Protocol>
  /** By which name a reference finds its protocol again. */
  resolve?(name: string): Protocol | undefined
  /** Aborting the open call is the only way to cancel it. */
  readonly abortable?: boolean
  /** Parameters of the `tools/call`. */
  callParams(call: Call): JsonObject
  /** Reads the answer to the create call. */
  readAnswer(raw: JsonObject, server: Server): News
  /** Reads the task once. */
  read(connection: TaskConnection, taskId: string, options: RequestOptions): Promise<JsonObject>
  /** Reads a snapshot, from a read or a push; `null` when it is not one of this task. */
  readSnapshot(raw: JsonObject, taskId: string, server: Server): News | null
  /** Fetches the payload of a task that is known to have ended. */
  settle(connection: TaskConnection, task: Task, options: RequestOptions): Promise<News>
  /** Hands answers over. */
  update(connection: TaskConnection, taskId: string, answers: JsonObject, options: RequestOptions): Promise<unknown>
  /** Asks the server to stop the task; news where the answer says more than "heard". */
  cancel(connection: TaskConnection, taskId: string, options: RequestOptions): Promise<News>
}
