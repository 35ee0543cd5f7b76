import type { Database } from '../database/database.ts'

/** `NOTIFY` channels: every process hears of changes that any process makes. */
export const CHANNELS = {
  taskChanged: 'mcp_task_changed',
  taskQueued: 'mcp_task_queued',
  reportCreated: 'mcp_report_created',
} as const

const SCHEMA = `
BEGIN;
-- Several servers may start at once on one database.
SELECT pg_advisory_xact_lock(720711);
CREATE SCHEMA IF NOT EXISTS mcp;

CREATE TABLE IF NOT EXISTS mcp.tasks (
  id text PRIMARY KEY,
  tool text NOT NULL,
  args json NOT NULL,
  status text NOT NULL DEFAULT 'working',
  status_message text,
  progress double precision,
  total double precision,
  result json,
  error json,
  input_requests json,
  answers json NOT NULL DEFAULT '{}',
  checkpoint json,
  cancel_requested boolean NOT NULL DEFAULT false,
  idempotency_key text UNIQUE,
  job_id uuid,
  queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_owner text,
  lease_until timestamptz,
  interruptions integer NOT NULL DEFAULT 0,
  ttl_ms integer,
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  updated_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp())
);
CREATE INDEX IF NOT EXISTS tasks_unfinished ON mcp.tasks (lease_owner) WHERE status = 'working';
CREATE INDEX IF NOT EXISTS tasks_expiring ON mcp.tasks (expires_at);
-- Data folders of earlier versions have the table without it.
ALTER TABLE mcp.tasks ADD COLUMN IF NOT EXISTS listed_for text;
CREATE INDEX IF NOT EXISTS tasks_listed ON mcp.tasks (listed_for, created_at, id) WHERE listed_for IS NOT NULL;
ALTER TABLE mcp.tasks ADD COLUMN IF NOT EXISTS attempt integer NOT NULL DEFAULT 1;
ALTER TABLE mcp.tasks ADD COLUMN IF NOT EXISTS retried_as text;
ALTER TABLE mcp.tasks ADD COLUMN IF NOT EXISTS trace_id text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');

CREATE TABLE IF NOT EXISTS mcp.task_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id text NOT NULL REFERENCES mcp.tasks (id) ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  line text NOT NULL
);
CREATE INDEX IF NOT EXISTS task_log_tail ON mcp.task_log (task_id, id);

CREATE TABLE IF NOT EXISTS mcp.reports (
  id text PRIMARY KEY,
  title text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE OR REPLACE FUNCTION mcp.tell_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${CHANNELS.taskChanged}', OLD.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER task_updated AFTER UPDATE ON mcp.tasks FOR EACH ROW
  WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at) EXECUTE FUNCTION mcp.tell_task();
CREATE OR REPLACE TRIGGER task_deleted AFTER DELETE ON mcp.tasks FOR EACH ROW EXECUTE FUNCTION mcp.tell_task();

CREATE OR REPLACE FUNCTION mcp.log_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.status_message IS NOT DISTINCT FROM OLD.status_message THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO mcp.task_log (task_id, line) VALUES (NEW.id, NEW.status_message);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER task_said AFTER INSERT OR UPDATE OF status_message ON mcp.tasks FOR EACH ROW
  WHEN (NEW.status_message IS NOT NULL) EXECUTE FUNCTION mcp.log_task();

CREATE OR REPLACE FUNCTION mcp.tell_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${CHANNELS.reportCreated}', NEW.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER report_created AFTER INSERT ON mcp.reports FOR EACH ROW EXECUTE FUNCTION mcp.tell_report();
COMMIT;
`

/** Creates the tables where they are missing. */
export async function createSchema(database: Database): Promise<void> {
  await database.script(SCHEMA)
}
