import type { JsonObject } from '../json.ts'
import { CallRefused } from '../tasks/errors.ts'
import type { Tool } from '../tools/tool.ts'
import { assertArguments } from '../tools/validate.ts'
import type { Parts } from './parts.ts'

/** The tool that is called. @throws CallRefused when there is none, or the arguments do not fit it. */
export function findTool({ tools }: Parts, name: string, args: JsonObject): Tool {
  const tool = tools.get(name)
  if (!tool) throw new CallRefused('unknown_tool', `Unknown tool: ${name}`)
  assertArguments(tool, args)
  return tool
}

/** How a tool appears in `tools/list`. */
export function listedTool({ name, title, description, inputSchema, outputSchema, annotations, meta }: Tool) {
  return {
    ...{ name, title, description, inputSchema },
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    ...(meta && { _meta: meta }),
  }
}

/** The idempotency key of a call: in its `_meta`, or among its arguments. */
export function idempotencyKeyOf(args: JsonObject, meta: JsonObject | undefined): string | null {
  const key = meta?.['idempotencyKey'] ?? args['idempotencyKey']
  return typeof key === 'string' && key !== '' ? key : null
}
