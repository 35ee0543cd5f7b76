import { fileURLToPath } from 'node:url'

/** How the server behaves; see the table in the README. */
export interface Settings {
  /** Tasks that this process runs at the same time. */
  readonly workers: number
  /** Tasks that may wait for a worker before new calls are refused. */
  readonly maxQueued: number
  /** How long a task is kept, in ms from its creation; `null` keeps it. A client that asks for less gets less. */
  readonly ttlMs: number | null
  /** The pace that clients are asked to read at. */
  readonly pollIntervalMs: number
  /** A worker that has not renewed its lease for this long counts as dead. */
  readonly leaseMs: number
  /** How often expired tasks are deleted and lost ones are looked for. */
  readonly upkeepMs: number
  /** A report longer than this (bytes) goes out as a `resource_link`. */
  readonly largeResultBytes: number
  /** A 2025-11-25 session over HTTP that nobody has used for this long is dropped. */
  readonly sessionIdleMs: number
  /** Whether the tools of the official conformance scenarios are offered too. */
  readonly fixtures: boolean
  /** The built view of the MCP App, which is read each time a host asks for it. */
  readonly appFile: string
}

/** What holds where nothing else is said. */
export const DEFAULT_SETTINGS: Settings = {
  workers: 4,
  maxQueued: 100,
  ttlMs: 3_600_000,
  pollIntervalMs: 1000,
  leaseMs: 10_000,
  upkeepMs: 2000,
  largeResultBytes: 8000,
  sessionIdleMs: 1_800_000,
  fixtures: false,
  appFile: fileURLToPath(new URL('../../mcp-app/dist/view/index.html', import.meta.url)),
}

/** Reads settings from environment variables. A value that is no whole number is an error, not a default. */
export function settingsFromEnv(env: Readonly<Record<string, string | undefined>>): Partial<Settings> {
  const settings: { -readonly [K in keyof Settings]?: Settings[K] } = {}
  const numbers = {
    WORKERS: 'workers',
    MAX_QUEUED: 'maxQueued',
    TTL_MS: 'ttlMs',
    POLL_INTERVAL_MS: 'pollIntervalMs',
    LEASE_MS: 'leaseMs',
    UPKEEP_MS: 'upkeepMs',
    LARGE_RESULT_BYTES: 'largeResultBytes',
    SESSION_IDLE_MS: 'sessionIdleMs',
  } as const
  for (const [name, key] of Object.entries(numbers)) {
    const text = env[name]
    if (text === undefined || text === '') continue
    if (key === 'ttlMs' && text === 'unlimited') {
      settings.ttlMs = null
      continue
    }
    const value = Number(text)
    if (!Number.isInteger(value) || value < 0) throw new Error(`${name} must be a whole number, not "${text}".`)
    settings[key] = value
  }
  if (env['APP_FILE']) settings.appFile = env['APP_FILE']
  if (env['FIXTURES']) settings.fixtures = env['FIXTURES'] !== '0'
  return settings
}
