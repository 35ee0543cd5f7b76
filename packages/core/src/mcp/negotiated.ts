import { isObject } from '../wire/json.ts'
import type { Caller } from './types.ts'

export const MODERN = '2026-07-28'
export const LEGACY = '2025-11-25'

export function isV1(client: Caller): boolean {
  return !client.getNegotiatedProtocolVersion
}

/** The negotiated protocol version, as far as the client tells it. */
export function versionOf(client: Caller): string | undefined {
  const { transport } = client
  if (!transport) return undefined
  // A 1.x client tells it to HTTP transports only. Over others it speaks its newest, or the server has no tasks.
  const untold = isV1(client) && client.getServerCapabilities() ? LEGACY : undefined
  return client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? untold
}

/** Methods that a server of 2025-11-25 offers one by one (AUG-NEG-6). */
const OFFERED: Readonly<Record<string, 'cancel' | 'list'>> = { 'tasks/cancel': 'cancel', 'tasks/list': 'list' }

/** Whether the server does not offer a method, so that it must not be sent. */
export function lacks(client: Caller, method: string): boolean {
  const name = OFFERED[method]
  return name !== undefined && versionOf(client) === LEGACY && !isObject(client.getServerCapabilities()?.tasks?.[name])
}

/** Version and capability together decide: either means nothing without the other (EXT-NEG-7). */
export function supportsTasks(client: Caller): boolean {
  const { extensions, tasks } = client.getServerCapabilities() ?? {}
  const version = versionOf(client)
  if (version === MODERN) return isObject(extensions?.['io.modelcontextprotocol/tasks'])
  return version === LEGACY && isObject(tasks?.requests?.tools?.call)
}
