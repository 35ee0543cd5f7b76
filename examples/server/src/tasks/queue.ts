import { randomUUID } from 'node:crypto'
import PgBoss from 'pg-boss'
import type { Database, Sql } from '../database/database.ts'
import { CHANNELS } from './schema.ts'

const QUEUE = 'tasks'
// pg-boss's longest: whether a worker is alive is told by its lease, not by how long it has been at work.
const EXPIRE_SECONDS = 23 * 3600
const POLL_SECONDS = 2
/** Any number that no other lock here has. */
const INSTALL_LOCK = 720_713

/**
 * The queue of tasks that wait for a worker, on pg-boss. A job is no more than a wake-up call for a task id:
 * the task's row says whether there is anything to do, so a call too many does no harm.
 */
export class TaskQueue {
  readonly #boss: PgBoss
  readonly #database: Database
  readonly #workers: string[] = []
  #closed = false

  constructor(database: Database, log: (line: string) => void) {
    this.#database = database
    const executeSql = async (text: string, values?: readonly unknown[]) => {
      // pg-boss completes its jobs in the background, which may be after we have closed.
      if (this.#closed) return undefined as unknown as { rows: unknown[] }
      return { rows: values?.length ? await database.query(text, values) : await database.script(text) }
    }
    this.#boss = new PgBoss({ db: { executeSql }, schedule: false })
    this.#boss.on('error', (error) => log(`queue: ${error.message}`))
  }

  async start(): Promise<void> {
    const install = async () => {
      await this.#boss.start()
      await this.#boss.createQueue(QUEUE, { name: QUEUE, retryLimit: 0, expireInSeconds: EXPIRE_SECONDS })
    }
    if (this.#database.exclusive) return install()
    // pg-boss makes its tables on other connections, and two processes that do so at once get in each other's way.
    await this.#database.transaction(async (sql) => {
      await sql.query('SELECT pg_advisory_xact_lock($1)', [INSTALL_LOCK])
      await install()
    })
  }

  /** Queues a task within the transaction that makes it ready: both are there, or neither. */
  async enqueue(sql: Sql, taskId: string): Promise<void> {
    const db = { executeSql: async (text: string, values: unknown[]) => ({ rows: await sql.query(text, values) }) }
    const jobId = randomUUID()
    const [row] = await sql.query<{ old: string | null }>(
      `UPDATE mcp.tasks t SET job_id = $2, queued_at = clock_timestamp()
       FROM (SELECT id, job_id FROM mcp.tasks WHERE id = $1) before WHERE t.id = before.id RETURNING before.job_id AS old`,
      [taskId, jobId],
    )
    if (row?.old) await this.#boss.deleteJob(QUEUE, row.old, { db })
    await this.#boss.send(QUEUE, { taskId }, { id: jobId, db })
    await sql.query('SELECT pg_notify($1, $2)', [CHANNELS.taskQueued, ''])
  }

  /**
   * Queues again what should be waiting or running but is not: its worker's lease has run out, or its job was
   * taken by a process that died before it began (after `graceMs`).
   */
  async recover(graceMs: number): Promise<number> {
    return this.#database.transaction(async (sql) => {
      const lost = await sql.query<{ id: string }>(
        `UPDATE mcp.tasks t SET interruptions = interruptions + (lease_owner IS NOT NULL)::int,
           lease_owner = NULL, lease_until = NULL, queued_at = clock_timestamp()
         WHERE status = 'working' AND (lease_until < clock_timestamp() OR (lease_owner IS NULL
           AND queued_at <= clock_timestamp() - $1::int * interval '1 millisecond'
           AND NOT EXISTS (SELECT FROM pgboss.job j WHERE j.name = '${QUEUE}' AND j.id = t.job_id AND j.state < 'active')))
         RETURNING id`,
        [graceMs],
      )
      for (const { id } of lost) await this.enqueue(sql, id)
      return lost.length
    })
  }

  /** Starts workers that take one task after another. */
  async work(count: number, run: (taskId: string) => Promise<void>): Promise<void> {
    await this.#database.listen(
      CHANNELS.taskQueued,
      () => this.wake(),
      () => this.wake(),
    )
    for (let index = 0; index < count; index++) {
      const worker: string = await this.#boss.work<{ taskId: string }>(
        QUEUE,
        { batchSize: 1, pollingIntervalSeconds: POLL_SECONDS },
        async ([job]) => {
          try {
            if (job) await run(job.data.taskId)
          } finally {
            // Without this a worker rests for what is left of its interval, though others wait.
            this.#boss.notifyWorker(worker)
          }
        },
      )
      this.#workers.push(worker)
    }
  }

  /** Makes idle workers look at the queue at once. */
  wake(): void {
    for (const worker of this.#workers) this.#boss.notifyWorker(worker)
  }

  /** Takes no more tasks. */
  async rest(): Promise<void> {
    await this.#boss.offWork(QUEUE)
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: false })
    this.#closed = true
  }
}
