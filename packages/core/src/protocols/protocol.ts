import type { RequestOptions, TaskConnection } from '../connection.ts'
import type { JsonObject, Task } from '../task.ts'
import type { Failure } from '../wire/failure.ts'
import type { News } from '../wire/news.ts'

/** One way of running a tool call that takes its time. Made by `extension()`, `augmented()` or `plain()`. */
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
  /** ms the server should keep the task; 2025-11-25 only. */
  readonly ttl?: number | undefined
  /** The task that is to be run again. */
  readonly again?: string | undefined
  /** The answers of a round that the call itself asked for (MRTR-1, MRTR-2). */
  readonly round?: { readonly answers: JsonObject; readonly requestState: string | null } | undefined
}

/**
 * What the actors ask of a protocol. It knows the words on the wire and no timers: every method either reads an answer or sends
 * exactly one request.
 */
export interface Protocol extends TaskProtocol {
  /** The protocol that really speaks, where that depends on the connection and the tool. Rejects if none may, with nothing called. */
  choose?(connection: TaskConnection, call: Call): Protocol | Promise<Protocol>
  /** By which name a reference finds its protocol again; without a name, the one that a task of this connection speaks. */
  resolve?(name: string | null, connection: TaskConnection): Protocol | undefined
  /** Aborting the open call is the only way to cancel it. */
  readonly abortable?: boolean
  /** Pushes come only for tasks that were subscribed to (EXT-NOTIF-1). */
  readonly subscribes?: boolean
  /** What a task asks for comes as requests of the server, while its payload is being fetched (AUG-INPUT-1). */
  readonly asksWhileFetching?: boolean
  /** Calls the tool. */
  create(connection: TaskConnection, call: Call, options: RequestOptions): Promise<News>
  /** Reads an answer to the create call that someone else made. @default a result or a task handle */
  readAnswer?(raw: JsonObject): News
  /** Reads the task once. */
  read(connection: TaskConnection, taskId: string, options: RequestOptions): Promise<JsonObject>
  /** Reads a snapshot, from a read or a push; `null` when it is not one of this task. */
  readSnapshot(raw: JsonObject, taskId: string, server: Server): News | null
  /** Fetches the payload of a task. */
  fetch(connection: TaskConnection, taskId: string, options: RequestOptions): Promise<JsonObject>
  /** Reads the answer to a fetch. @throws Failure if it is none of this task */
  readPayload(raw: JsonObject, task: Task, server: Server): News
  /** The outcome, where an error that answered a fetch is the task's own and not one about it. */
  readError?(failure: Failure, task: Task): News | undefined
  /** Hands answers over. */
  update(connection: TaskConnection, taskId: string, answers: JsonObject, options: RequestOptions): Promise<unknown>
  /** Asks the server to stop the task; news where the answer says more than "heard". */
  cancel(connection: TaskConnection, taskId: string, options: RequestOptions): Promise<News>
}
