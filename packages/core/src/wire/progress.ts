import type { JsonObject } from '../task.ts'
import type { Progress } from '../view.ts'

export const finite = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)

/** 0–100, where it can be known. */
export const percentOf = (value: number | null, total: number | null): number | null =>
  value !== null && total !== null && total > 0 ? Math.min(100, Math.max(0, (value / total) * 100)) : null

/** Reads a progress notification; `null` when it tells nothing newer, since values must rise (PROG-4). */
export function readProgress(raw: JsonObject, before: Progress | null): Progress | null {
  const value = finite(raw?.['progress'])
  if (value === null || (before?.value != null && value <= before.value)) return null
  const total = finite(raw['total'])
  const percent = percentOf(value, total)
  const message = raw['message']
  return { value, total, percent, message: typeof message === 'string' ? message : (before?.message ?? null) }
}
