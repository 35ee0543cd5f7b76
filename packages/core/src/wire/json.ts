import type { JsonObject } from '../task.ts'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy of a map with other values; keys such as `__proto__` stay ordinary keys. */
export function mapValues<From, To>(
  map: Readonly<Record<string, From>>,
  to: (value: From, key: string) => To | undefined,
) {
  const entries = Object.entries(map).map(([key, value]) => [key, to(value, key)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, To] => entry[1] !== undefined))
}

export const isEmpty = (map: object): boolean => Object.keys(map).length === 0

/** Whether two JSON values say the same. Deeper than 64 levels counts as different, so that no server can exhaust the stack. */
export function sameJson(a: unknown, b: unknown, depth = 64): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth === 0) return false
  const keys = Object.keys(a)
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson((a as JsonObject)[key], (b as JsonObject)[key], depth - 1))
  )
}
