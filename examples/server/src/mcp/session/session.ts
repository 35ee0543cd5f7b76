import type { Server } from '@modelcontextprotocol/server'
import type { Parts } from '../parts.ts'

/** A connection of MCP 2025-11-25: an HTTP session, or a stdio connection. */
export interface Session {
  readonly parts: Parts
  readonly server: Server
  /** What its tasks are listed under. Not the session id, which is a secret of its client. */
  readonly list: string
  /** Aborted when it ends. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}
