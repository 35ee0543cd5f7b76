import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { Server } from '@modelcontextprotocol/server'
import type { Parts } from '../parts.ts'
import { addResources } from '../resources.ts'
import { SERVER_INFO } from '../words.ts'
import { addTools } from './call-tool.ts'
import type { Session } from './session.ts'
import { addTasks } from './tasks.ts'

const CAPABILITIES = {
  tools: {},
  resources: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
}

/** A server of MCP 2025-11-25: for one session over HTTP, or for one stdio connection, and for as long as that lasts. */
export function createSession(parts: Parts, log: (line: string) => void): Server {
  const server = new Server(SERVER_INFO, { capabilities: CAPABILITIES })
  const end = new AbortController()
  // Each task that is followed listens.
  setMaxListeners(0, end.signal)
  const session: Session = { parts, server, list: randomUUID(), signal: end.signal, log }
  addTools(session)
  addTasks(session)
  addResources(server, parts)
  const forget = parts.reports.onChange(() => void server.sendResourceListChanged().catch(() => {}))
  const onclose = () => {
    forget()
    end.abort()
  }
  return Object.assign(server, { onclose })
}
