import type { Progress } from '@mcp-task-machine/core'

/** A time of day, to the second. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
}

/** Bytes in words, rounded. */
export function formatSize(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`
}

/** How far the work is, as far as it is known; empty where nothing is. */
export function formatProgress({ value, total, percent }: Progress): string {
  if (percent !== null) return `${Math.round(percent)} %`
  if (value === null) return ''
  return total === null ? String(value) : `${value} of ${total}`
}
