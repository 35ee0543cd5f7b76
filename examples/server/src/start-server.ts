import type { DatabaseChoice } from './database/open-database.ts'
import { DEFAULT_SETTINGS, type Settings } from './settings.ts'
import { startParts } from './start-parts.ts'
import { serveHttp } from './transports/http.ts'

/** How to start the server; everything has a default. */
export interface ServerOptions extends DatabaseChoice, Partial<Settings> {
  /** The first port to try. A port that is taken leads to the next one; 0 takes any. @default 3333 */
  readonly port?: number
  /** @default '127.0.0.1' */
  readonly host?: string
  /** The folder that tasks are kept in; `memory` keeps them no longer than the process. @default 'memory' */
  readonly dataDir?: string | undefined
  /** A PostgreSQL that several servers may share; it is used in place of `dataDir`. */
  readonly databaseUrl?: string | undefined
  /** Hears what goes on. @default nothing is written */
  readonly log?: (line: string) => void
}

/** A server that runs. */
export interface RunningServer {
  /** Where MCP is served. */
  readonly url: string
  /** Stops serving. Unfinished tasks stay where they are and are gone on with after the next start. */
  close(): Promise<void>
}

/** Starts the server over Streamable HTTP. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { port = 3333, host = '127.0.0.1', dataDir, databaseUrl, log = () => {}, ...settings } = options
  const parts = await startParts({ dataDir, databaseUrl }, { ...DEFAULT_SETTINGS, ...settings }, log)
  try {
    const http = await serveHttp(parts, { host, port, log })
    return {
      url: http.url,
      async close() {
        await http.close()
        await parts.engine.close()
      },
    }
  } catch (error) {
    await parts.engine.close()
    throw error
  }
}
