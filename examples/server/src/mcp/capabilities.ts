import { CLIENT_CAPABILITIES_META_KEY, ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../json.ts'
import { CODES, TASKS_EXTENSION } from './words.ts'

/** Whether the client understands tasks, by the capabilities that it sent with this request. */
export function declaresTasks(ctx: ServerContext): boolean {
  return metaDeclaresTasks(ctx.mcpReq.envelope)
}

/** The same, by a request's `_meta` as it came. */
export function metaDeclaresTasks(meta: unknown): boolean {
  return isObject(meta) && listsTasks(meta[CLIENT_CAPABILITIES_META_KEY])
}

/** @throws ProtocolError with -32021 when the client does not understand tasks. */
export function requireTasks(ctx: ServerContext): void {
  if (!declaresTasks(ctx)) throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } })
}

/** Whether the client can put questions to a person. */
export function canBeAsked(ctx: ServerContext): boolean {
  const envelope: JsonObject | undefined = ctx.mcpReq.envelope
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY]
  return isObject(capabilities) && isObject(capabilities['elicitation'])
}

/** The error that tells a client what it would have to support. */
export function missingCapability(requiredCapabilities: JsonObject): ProtocolError {
  return new ProtocolError(CODES.missingClientCapability, 'Missing required client capability', {
    requiredCapabilities,
  })
}

function listsTasks(capabilities: unknown): boolean {
  return isObject(capabilities) && isObject(capabilities['extensions']) && TASKS_EXTENSION in capabilities['extensions']
}
