import type { Database } from './database.ts'
import { openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/** Where tasks are kept: PostgreSQL by its URL, else a folder, else memory. */
export interface DatabaseChoice {
  readonly databaseUrl?: string | undefined
  readonly dataDir?: string | undefined
}

/** Opens the database that was chosen. */
export function openDatabase(choice: DatabaseChoice, log: (line: string) => void): Promise<Database> {
  if (choice.databaseUrl) return openPostgres(choice.databaseUrl, log)
  return openPglite(choice.dataDir || 'memory')
}
