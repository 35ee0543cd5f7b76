import type { Database } from '../database/database.ts'
import { CHANNELS } from '../tasks/schema.ts'

// A demonstration must not fill a disk: the oldest reports go.
const KEPT = 500

/** A text that a task has written and that outlives the task. */
export interface Report {
  readonly id: string
  readonly title: string
  readonly body: string
}

/** The URI of a report as an MCP resource. */
export function reportUri(id: string): string {
  return `report://${id}`
}

/** The id in a report's URI; of another URI nothing that is an id. */
export function reportId(uri: string): string {
  return uri.replace(/^report:\/\//, '')
}

/** The reports that tasks have written, shared by all processes on one database. */
export class Reports {
  readonly #database: Database
  readonly #listeners = new Set<() => void>()

  constructor(database: Database) {
    this.#database = database
  }

  async start(): Promise<void> {
    const tell = () => this.#listeners.forEach((listener) => listener())
    await this.#database.listen(CHANNELS.reportCreated, tell, tell)
  }

  /** Keeps a report. A second time with the same id changes nothing: work that was interrupted here comes again. */
  async create({ id, title, body }: Report): Promise<void> {
    await this.#database.query(
      'INSERT INTO mcp.reports (id, title, body) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
      [id, title, body],
    )
    await this.#database.query(
      'DELETE FROM mcp.reports WHERE id IN (SELECT id FROM mcp.reports ORDER BY created_at DESC OFFSET $1::int)',
      [KEPT],
    )
  }

  async list(): Promise<readonly Omit<Report, 'body'>[]> {
    return this.#database.query('SELECT id, title FROM mcp.reports ORDER BY created_at DESC')
  }

  async get(id: string): Promise<Report | undefined> {
    const rows = await this.#database.query<Report>('SELECT id, title, body FROM mcp.reports WHERE id = $1', [id])
    return rows[0]
  }

  /** Calls `listener` when the list has changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
