/** Runs SQL: the database itself, or a transaction of it. JSON values are passed as JSON text. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** PostgreSQL, embedded or not. All of the server's SQL goes through this, so both run the same statements. */
export interface Database extends Sql {
  /** One process has it to itself: whatever another process had begun is over. */
  readonly exclusive: boolean
  /** Several statements in one text, without values. Resolves with the rows of the last. */
  script<Row>(text: string): Promise<Row[]>
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Hears `NOTIFY` on a channel. `lost` tells that some may have been missed. */
  listen(channel: string, listener: (payload: string) => void, lost: () => void): Promise<void>
  close(): Promise<void>
}
