import { setTimeout as delay } from 'node:timers/promises'
import { Client, Pool, type PoolClient, type QueryResult } from 'pg'
import type { Database, Sql } from './database.ts'

const RECONNECT_MS = 500

/** Connects to a PostgreSQL server, which any number of our processes may share. */
export async function openPostgres(url: string, log: (line: string) => void): Promise<Database> {
  const pool = new Pool({ connectionString: url, application_name: 'mcp-example-server' })
  pool.on('error', (error) => log(`database: ${error.message}`))
  const listeners: { channel: string; listener: (payload: string) => void; lost: () => void }[] = []
  let ear: Client | undefined
  const closing = new AbortController()

  // NOTIFY needs a connection that stays: a pool hands out another one each time.
  const hear = async () => {
    const client = new Client({ connectionString: url, application_name: 'mcp-example-server-listen' })
    client.on('notification', ({ channel, payload }) => {
      for (const entry of listeners) if (entry.channel === channel) entry.listener(payload ?? '')
    })
    client.on('error', (error) => log(`database: ${error.message}`))
    client.on('end', () => {
      if (!closing.signal.aborted && ear === client) void hearAgain()
    })
    await client.connect()
    ear = client
    for (const { channel } of listeners) await client.query(`LISTEN ${channel}`)
  }
  const hearAgain = async () => {
    while (!closing.signal.aborted) {
      try {
        await hear()
        for (const { lost } of listeners) lost()
        return
      } catch (error) {
        log(`database: ${(error as Error).message}`)
        await delay(RECONNECT_MS)
      }
    }
  }
  const rowsOf =
    (runner: Pool | PoolClient): Sql['query'] =>
    async <Row>(text: string, values: readonly unknown[] = []) =>
      (await runner.query(text, [...values])).rows as Row[]
  const onOneConnection = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      // A failed transaction is not given back to the pool half open.
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      )
      throw error
    }
  }

  await hear()
  return {
    exclusive: false,
    query: rowsOf(pool),
    script: <Row>(text: string) =>
      onOneConnection(async (client) => {
        const results = (await client.query(text)) as unknown as QueryResult | QueryResult[]
        return ((Array.isArray(results) ? results.at(-1)?.rows : results.rows) ?? []) as Row[]
      }),
    transaction: (work) =>
      onOneConnection(async (client) => {
        await client.query('BEGIN')
        const result = await work({ query: rowsOf(client) })
        await client.query('COMMIT')
        return result
      }),
    async listen(channel, listener, lost) {
      listeners.push({ channel, listener, lost })
      await ear?.query(`LISTEN ${channel}`)
    },
    async close() {
      closing.abort()
      await ear?.end()
      await pool.end()
    },
  }
}
