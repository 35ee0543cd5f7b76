import type { JsonObject } from '../task.ts'
import type { Progress } from '../view.ts'

const finite = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)

/** Reads a progress notification; `null` when it tells nothing newer, since values must rise (PROG-4). */
export function readProgress(raw: JsonObject, before: Progress | null): Progress | null {
  const value = finite(raw?.['progress'])
  if (value === null || (before?.value != null && value <= before.value)) return null
  const total = finite(raw['total'])
  const percent = total !== null && total > 0 ? Math.min(100, Math.max(0, (value / total) * 100)) : null
  const message = raw['message']
  return { value, total, percent, message: typeof message === 'string' ? message : (before?.message ?? null) }
}
