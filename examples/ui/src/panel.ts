import type { TaskConnection } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { connectTo, generationIn, serverUrl, type Generation } from './connect.ts'
import { createReports, type Reports } from './reports.ts'
import { createRuns, type Runs } from './runs.ts'

/** All that a page shows, whatever its framework. */
export interface Panel {
  readonly connection: TaskConnection
  readonly runs: Runs
  readonly reports: Reports
  readonly url: string
  readonly generation: Generation
}

/** Connects the page to its server, in the protocol version that the page's address asks for. @throws Error if that fails */
export async function openPanel(): Promise<Panel> {
  const generation = generationIn(location.search)
  const server = await connectTo(await serverUrl(), generation)
  const isFramed = parent !== window
  const connection = isFramed ? withoutPushes(fromClient(server.client)) : fromClient(server.client)
  const runs = createRuns(sessionStorage, `runs ${server.url} ${generation}`)
  // Pages in frames of one tab share its storage: each follows what another has begun.
  addEventListener('storage', runs.reread)
  const reports = createReports(connection)
  server.onBack(reports.read)
  reports.read()
  return { connection, runs, reports, url: server.url, generation }
}

/**
 * A browser has six connections to a server over HTTP/1.1, for all frames together: with a stream for its lists and one for its tasks each,
 * three pages would leave none for requests. Without the second, tasks are read at their own pace.
 */
function withoutPushes(connection: TaskConnection): TaskConnection {
  return Object.create(connection, { listen: { value: undefined } }) as TaskConnection
}
