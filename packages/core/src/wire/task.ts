import type { JsonObject, Task, TaskStatus } from '../task.ts'
import { isObject } from './json.ts'

const statuses: readonly unknown[] = [
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] satisfies TaskStatus[]

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Names for one thing, as servers spell it, the specified one first. */
const lifetimes = ['ttlMs', 'ttl', 'ttlSeconds']
const intervals = ['pollIntervalMs', 'pollInterval', 'pollIntervalMilliseconds', 'pollFrequency']

/** The first number among some names; a numeric string counts, anything else is as good as absent. */
function number(from: JsonObject, names: readonly string[]): number | null | undefined {
  for (const name of names) {
    const value = from[name]
    if (value === null) return null
    const read = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN
    if (!Number.isNaN(read)) return name.endsWith('Seconds') ? read * 1000 : read
  }
  return undefined
}

/** ms, from the two times that some servers give instead. */
function lifetimeOf({ expiresAt, createdAt }: JsonObject): number | undefined {
  if (typeof expiresAt !== 'string' || typeof createdAt !== 'string') return undefined
  const lifetime = Date.parse(expiresAt) - Date.parse(createdAt)
  return Number.isNaN(lifetime) ? undefined : lifetime
}

/**
 * Reads a task snapshot, flat (`{ taskId, … }`) or wrapped (`{ task: { taskId, … } }`). Only a string id and a string status are
 * demanded: servers leave out or rename the rest, and a healthy task must not die of it. `null` where there is no task.
 */
export function readTask(raw: unknown): Task | null {
  if (!isObject(raw)) return null
  const from = isObject(raw['task']) ? raw['task'] : raw
  const { taskId, status } = from
  if (typeof taskId !== 'string' || taskId === '' || typeof status !== 'string') return null
  const known = statuses.includes(status)
  const lifetime = number(from, lifetimes)
  const ttl = lifetime === undefined ? lifetimeOf(from) : lifetime
  const pollInterval = number(from, intervals)
  return {
    taskId,
    status: known ? (status as TaskStatus) : 'working',
    rawStatus: known ? undefined : status,
    statusMessage: text(from['statusMessage']),
    createdAt: text(from['createdAt']),
    lastUpdatedAt: text(from['lastUpdatedAt']),
    ttl,
    pollInterval: pollInterval ?? undefined,
  }
}

/** Whether two snapshots show the same. */
export function sameTask(a: Task, b: Task): boolean {
  return (
    a.status === b.status &&
    a.statusMessage === b.statusMessage &&
    a.lastUpdatedAt === b.lastUpdatedAt &&
    a.rawStatus === b.rawStatus &&
    a.pollInterval === b.pollInterval &&
    (a.ttl === b.ttl || b.ttl === undefined) &&
    a.createdAt === b.createdAt
  )
}

/** Whether a snapshot is older than another: by the server's stamps, else by what the caller knows of their order (NOTIF-ORD-1). */
export function isOlder(task: Task, than: Task, askedEarlier: boolean): boolean {
  const [given, newest] = [task.lastUpdatedAt, than.lastUpdatedAt]
  const stamped = given !== undefined && newest !== undefined && given !== newest
  const difference = stamped ? Date.parse(given) - Date.parse(newest) : 0
  return difference < 0 || (!(difference > 0) && askedEarlier)
}
