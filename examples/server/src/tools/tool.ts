import type { JsonObject } from '../json.ts'
import type { Submission } from '../tasks/engine.ts'
import type { InputRequests, ToolResult } from '../tasks/task.ts'
import type { Work } from '../tasks/work.ts'

/** A tool: how it is listed, how it may be called, and its work. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema of the arguments, 2020-12. */
  readonly inputSchema: JsonObject & { readonly type: 'object' }
  /** JSON Schema of `structuredContent` in every result that is no error. */
  readonly outputSchema?: JsonObject & { readonly type: 'object' }
  /** Hints for hosts (MCP `ToolAnnotations`). */
  readonly annotations?: Readonly<Record<string, boolean>>
  /** The tool's `_meta` in the list. */
  readonly meta?: JsonObject
  /** `required` insists on a task, `forbidden` is never one, `optional` leaves it to the client. */
  readonly taskSupport: 'required' | 'optional' | 'forbidden'
  /** What a model may say while the task is under way, in one sentence. */
  readonly interim?: (args: JsonObject) => string
  /** Whether a call is so small that no task is made of it unless the client asks for one. */
  readonly isSmall?: (args: JsonObject) => boolean
  /** Questions to be answered before there is a task. */
  readonly askFirst?: InputRequests
  /** Answers a call at once with what it has begun, of which `run` is the work. Such a call is never a task of the protocol. */
  readonly begin?: (call: Submission) => Promise<ToolResult>
  run(work: Work): Promise<ToolResult>
}

/** A result of one text. */
export function textResult(text: string, more: Omit<ToolResult, 'content'> = {}): ToolResult {
  return { content: [{ type: 'text', text }], ...more }
}

/** A question that a person answers in a form (MCP `elicitation/create`). */
export function formRequest(message: string, properties: JsonObject, required: readonly string[]) {
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
  }
}

/** The JSON Schema of the arguments of a tool that begins work: all of those take an idempotency key. */
export function argumentsSchema(properties: JsonObject, required: readonly string[] = []): Tool['inputSchema'] {
  const idempotencyKey = {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'Calls with the same key share one task, so that a repeated call does not do the work twice.',
  }
  return { type: 'object', properties: { ...properties, idempotencyKey }, required }
}
