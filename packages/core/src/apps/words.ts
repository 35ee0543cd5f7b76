import { isObject } from '../wire/json.ts'
import type { HostCapabilities } from './types.ts'

/** The extension's name: a host that relays tasks declares it under `experimental`. */
export const TASKS = 'io.modelcontextprotocol/tasks'
/** Where a request says what its client can do. */
export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** The code of a host that got no answer from the server: whether the request was carried out is unknown. */
export const NO_ANSWER = -32001

/** What a host relays, in its own settings of the extension. */
export interface Relayed {
  /** Absent: 2026-07-28. */
  readonly protocolVersion?: unknown
  /** 2025-11-25: methods that the server offers one by one. */
  readonly cancel?: unknown
  readonly list?: unknown
}

/** `undefined`: this host relays no tasks. */
export function relayedBy(host: HostCapabilities | undefined): Relayed | undefined {
  const relayed = host?.experimental?.[TASKS]
  return host?.serverTools && isObject(relayed) ? relayed : undefined
}
