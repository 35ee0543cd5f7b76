import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Database, Sql } from './database.ts'
import { takeFolder } from './data-folder.ts'

/** Opens an embedded PostgreSQL in `dataDir`, or in memory. */
export async function openPglite(dataDir: string | 'memory'): Promise<Database> {
  let leave = async () => {}
  if (dataDir !== 'memory') {
    await mkdir(dataDir, { recursive: true })
    leave = await takeFolder(dataDir)
  }
  const pg = await PGlite.create(dataDir === 'memory' ? 'memory://' : join(dataDir, 'pgdata'))
  const rowsOf =
    (runner: Pick<PGlite, 'query'>): Sql['query'] =>
    async <Row>(text: string, values: readonly unknown[] = []) =>
      (await runner.query<Row>(text, [...values])).rows
  return {
    exclusive: true,
    query: rowsOf(pg),
    script: async <Row>(text: string) => ((await pg.exec(text)).at(-1)?.rows ?? []) as Row[],
    transaction: (work) => pg.transaction((tx) => work({ query: rowsOf(tx as unknown as PGlite) })),
    async listen(channel, listener) {
      await pg.listen(channel, listener)
    },
    async close() {
      await pg.close()
      await leave()
    },
  }
}
