import { afterEach, beforeEach, vi } from 'vitest'
import {
  createFakeConnection,
  handle,
  snapshot,
  type FakeConnection,
} from '../../../packages/core/test/support/fake-connection.ts'
import type { Driver, Page } from '../driver.ts'

export const tool = 'start_research'
export const minutes = 60_000

/** A server that answers each call with a task of its own, which works until the test says otherwise. */
export function createServer(over: Parameters<typeof createFakeConnection>[0] = {}): FakeConnection {
  const connection = createFakeConnection(over)
  connection.on('tools/call', (_, nth) => handle({ taskId: `tk-${nth}` }))
  connection.on('tasks/get', ({ taskId }) => snapshot('working', { taskId }))
  connection.on('tasks/cancel', () => ({ resultType: 'complete' }))
  connection.on('tasks/update', () => ({ resultType: 'complete' }))
  return connection
}

/** A page with one task. */
export const one = (connection: FakeConnection, options: object = {}): Page => ({
  connection,
  parts: [{ id: 'a', tool, options }],
})

/** The same page once its user is elsewhere. */
export const nothing = (connection: FakeConnection): Page => ({ connection, parts: [] })

/** Lets time pass. */
export const passing =
  ({ act }: Driver) =>
  (ms: number): Promise<void> =>
    act(() => vi.advanceTimersByTimeAsync(ms))

export function withFakeTime(): void {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
}
