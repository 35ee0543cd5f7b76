import type { Sql } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import type { InputAnswers, InputRequests, RpcError, Task, ToolResult } from './task.ts'

const COLUMNS = `id, tool, args, status, status_message AS "statusMessage", progress, total, result, error,
  input_requests AS "inputRequests", answers, checkpoint, cancel_requested AS "cancelRequested",
  lease_owner AS "leaseOwner", interruptions, attempt, retried_as AS "retriedAs", trace_id AS "traceId",
  ttl_ms AS "ttlMs", created_at AS "createdAt", updated_at AS "updatedAt"`

/** What the status message of a task says until a worker has taken its first step. */
export const WAITING = 'Waiting for a worker'

const ALIVE = '(expires_at IS NULL OR expires_at > clock_timestamp())'

// Clients order snapshots by this stamp, so no two changes of a task may share one.
const STAMP = `updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`

const IDLE = 'lease_owner = NULL, lease_until = NULL'

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value))

/** What a new task is made of. */
export interface NewTask {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
  readonly answers: InputAnswers
  readonly idempotencyKey: string | null
  readonly ttlMs: number | null
  readonly listedFor: string | null
  readonly attempt: number
  readonly checkpoint: JsonObject | null
  readonly traceId: string
}

/** A line of what a task has said of itself. */
export interface LogLine {
  readonly at: Date
  readonly line: string
}

/** Where a page of a list begins: after this task. */
export type Place = readonly [createdAt: string, id: string]

/** Where a running task has got to. */
export interface Step {
  readonly message: string
  readonly progress?: number
  readonly total?: number
  readonly checkpoint?: JsonObject
}

/** How a run ended. */
export type Outcome =
  | { readonly status: 'completed'; readonly result: ToolResult; readonly message: string }
  | { readonly status: 'failed'; readonly error: RpcError; readonly message: string }
  | { readonly status: 'cancelled'; readonly message: string }

/** The SQL of tasks as callers see them: create, read, answer, cancel, expire. */
export const taskStore = {
  /** Serialises admission, so that the bound on waiting tasks and idempotency keys hold across processes. */
  async lockAdmission(sql: Sql): Promise<void> {
    await sql.query('SELECT pg_advisory_xact_lock(720712)')
  },

  async countWaiting(sql: Sql): Promise<number> {
    const rows = await sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM mcp.tasks WHERE status = 'working' AND lease_owner IS NULL AND ${ALIVE}`,
    )
    return rows[0]?.count ?? 0
  },

  async create(sql: Sql, task: NewTask): Promise<Task> {
    const rows = await sql.query<Task>(
      `INSERT INTO mcp.tasks (id, tool, args, answers, idempotency_key, listed_for, ttl_ms, expires_at, attempt,
         checkpoint, trace_id, status_message)
       VALUES ($1, $2, $3::json, $4::json, $5, $6, $7::int, clock_timestamp() + $7::int * interval '1 millisecond', $8::int,
         $9::json, $10, '${WAITING}')
       RETURNING ${COLUMNS}`,
      [
        ...[task.id, task.tool, json(task.args), json(task.answers), task.idempotencyKey, task.listedFor, task.ttlMs],
        ...[task.attempt, json(task.checkpoint), task.traceId],
      ],
    )
    return rows[0] as Task
  },

  async get(sql: Sql, id: string): Promise<Task | undefined> {
    const rows = await sql.query<Task>(`SELECT ${COLUMNS} FROM mcp.tasks WHERE id = $1 AND ${ALIVE}`, [id])
    return rows[0]
  },

  /** The task of an idempotency key, and whether it was called with these arguments. */
  async getByKey(sql: Sql, key: string, tool: string, args: JsonObject) {
    const rows = await sql.query<Task & { same: boolean }>(
      `SELECT ${COLUMNS}, (tool = $2 AND args::jsonb = $3::jsonb) AS same
       FROM mcp.tasks WHERE idempotency_key = $1 AND ${ALIVE}`,
      [key, tool, json(args)],
    )
    return rows[0]
  },

  async lock(sql: Sql, id: string): Promise<Task | undefined> {
    const rows = await sql.query<Task>(`SELECT ${COLUMNS} FROM mcp.tasks WHERE id = $1 AND ${ALIVE} FOR UPDATE`, [id])
    return rows[0]
  },

  /** The tasks of one list, newest first. */
  async list(sql: Sql, listedFor: string, limit: number, after: Place | undefined): Promise<Task[]> {
    return sql.query<Task>(
      `SELECT ${COLUMNS} FROM mcp.tasks
       WHERE listed_for = $1 AND ${ALIVE} AND ($3::timestamptz IS NULL OR (created_at, id) < ($3::timestamptz, $4::text))
       ORDER BY created_at DESC, id DESC LIMIT $2::int`,
      [listedFor, limit, ...(after ?? [null, null])],
    )
  },

  /** Keeps answers; with no question left open the task is `working` again and has to be queued. */
  async saveAnswers(sql: Sql, id: string, answers: InputAnswers, open: InputRequests): Promise<void> {
    const none = Object.keys(open).length === 0
    await sql.query(
      `UPDATE mcp.tasks SET answers = $2::json, input_requests = $3::json, status = $4, status_message = $5, ${STAMP}
       WHERE id = $1`,
      [
        id,
        json(answers),
        none ? null : json(open),
        ...(none ? ['working', 'Answer received'] : ['input_required', null]),
      ],
    )
  },

  /** A task that no worker holds is cancelled at once; a worker is asked to stop at its next step. */
  async requestCancel(sql: Sql, id: string): Promise<void> {
    await sql.query(
      `UPDATE mcp.tasks SET cancel_requested = true, ${STAMP},
         status = CASE WHEN lease_owner IS NULL THEN 'cancelled' ELSE status END,
         status_message = CASE WHEN lease_owner IS NULL THEN 'Cancelled' ELSE 'Stopping' END,
         input_requests = NULL
       WHERE id = $1 AND status IN ('working', 'input_required') AND NOT cancel_requested AND ${ALIVE}`,
      [id],
    )
  },

  /** Cancelled from now on, whatever its worker still does: that one finds its lease gone. */
  async cancelNow(sql: Sql, id: string): Promise<Task | undefined> {
    const rows = await sql.query<Task>(
      `UPDATE mcp.tasks SET status = 'cancelled', status_message = 'Cancelled', cancel_requested = true,
         input_requests = NULL, ${IDLE}, ${STAMP}
       WHERE id = $1 AND status IN ('working', 'input_required') AND ${ALIVE} RETURNING ${COLUMNS}`,
      [id],
    )
    return rows[0]
  },

  /** Not a change of the task: it stays as it ended. */
  async markRetried(sql: Sql, id: string, retriedAs: string): Promise<void> {
    await sql.query('UPDATE mcp.tasks SET retried_as = $2 WHERE id = $1', [id, retriedAs])
  },

  /** The last lines of what a task has said of itself, the oldest first. */
  async logTail(sql: Sql, id: string, lines: number): Promise<LogLine[]> {
    const newestFirst = await sql.query<LogLine>(
      'SELECT at, line FROM mcp.task_log WHERE task_id = $1 ORDER BY id DESC LIMIT $2::int',
      [id, lines],
    )
    return newestFirst.toReversed()
  },

  /** Ends a task that waits for an answer which will not come. */
  async failWaiting(sql: Sql, id: string, error: RpcError): Promise<void> {
    await sql.query(
      `UPDATE mcp.tasks SET status = 'failed', status_message = $2, error = $3::json, input_requests = NULL,
         checkpoint = NULL, ${STAMP}
       WHERE id = $1 AND status = 'input_required' AND ${ALIVE}`,
      [id, error.message, json(error)],
    )
  },

  async deleteExpired(sql: Sql): Promise<void> {
    await sql.query('DELETE FROM mcp.tasks WHERE expires_at <= clock_timestamp()')
  },
}

/** The SQL of the worker that holds a task's lease. Each statement does nothing once the lease is another's. */
export const leaseStore = {
  async claim(sql: Sql, id: string, owner: string, leaseMs: number): Promise<Task | undefined> {
    const rows = await sql.query<Task>(
      `UPDATE mcp.tasks SET lease_owner = $2, lease_until = clock_timestamp() + $3::int * interval '1 millisecond'
       WHERE id = $1 AND status = 'working' AND lease_owner IS NULL AND ${ALIVE} RETURNING ${COLUMNS}`,
      [id, owner, leaseMs],
    )
    return rows[0]
  },

  async renew(sql: Sql, ids: readonly string[], owner: string, leaseMs: number): Promise<void> {
    await sql.query(
      `UPDATE mcp.tasks SET lease_until = clock_timestamp() + $3::int * interval '1 millisecond'
       WHERE id = ANY($1::text[]) AND lease_owner = $2`,
      [ids, owner, leaseMs],
    )
  },

  /** Resolves with whether a cancel is wished; `undefined` when the task is no longer ours. */
  async step(sql: Sql, id: string, owner: string, step: Step): Promise<boolean | undefined> {
    const rows = await sql.query<{ cancel: boolean }>(
      `UPDATE mcp.tasks SET status_message = CASE WHEN cancel_requested THEN status_message ELSE $3 END,
         progress = coalesce($4::float8, progress), total = coalesce($5::float8, total),
         checkpoint = coalesce($6::json, checkpoint), ${STAMP}
       WHERE id = $1 AND lease_owner = $2 AND status = 'working' AND ${ALIVE} RETURNING cancel_requested AS cancel`,
      [id, owner, step.message, step.progress ?? null, step.total ?? null, json(step.checkpoint)],
    )
    return rows[0]?.cancel
  },

  /** Gives the task back while it waits for a person: no worker is held meanwhile. */
  async waitForInput(sql: Sql, id: string, owner: string, message: string, requests: InputRequests): Promise<void> {
    await sql.query(
      `UPDATE mcp.tasks SET status = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'input_required' END,
         status_message = CASE WHEN cancel_requested THEN 'Cancelled' ELSE $3 END,
         input_requests = CASE WHEN cancel_requested THEN NULL ELSE $4::json END, ${IDLE}, ${STAMP}
       WHERE id = $1 AND lease_owner = $2 AND status = 'working'`,
      [id, owner, message, json(requests)],
    )
  },

  /** What has not been completed keeps its checkpoint, for a retry to go on from. */
  async finish(sql: Sql, id: string, owner: string, outcome: Outcome): Promise<void> {
    const result = outcome.status === 'completed' ? outcome.result : null
    const error = outcome.status === 'failed' ? outcome.error : null
    await sql.query(
      `UPDATE mcp.tasks SET status = $3, status_message = $4, result = $5::json, error = $6::json,
         checkpoint = CASE WHEN $3 = 'completed' THEN NULL ELSE checkpoint END, ${IDLE}, ${STAMP}
       WHERE id = $1 AND lease_owner = $2 AND status = 'working'`,
      [id, owner, outcome.status, outcome.message, json(result), json(error)],
    )
  },

  /** Gives up the leases of one owner, or of every owner: of processes known to be gone. */
  async abandon(sql: Sql, owner: string | null): Promise<void> {
    await sql.query(
      `UPDATE mcp.tasks SET lease_until = '-infinity' WHERE lease_owner IS NOT NULL AND ($1::text IS NULL OR lease_owner = $1)`,
      [owner],
    )
  },
}
