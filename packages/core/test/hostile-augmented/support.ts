import { vi } from 'vitest'
import { createTaskRunner, type JsonObject, type TaskConnection, type TaskOptions } from '../../src/index.ts'
import { flat, wrapped } from '../support/augmented.ts'
import { createFakeConnection, handle, settle } from '../support/fake-connection.ts'
import { ignore, startRun, type Run } from '../support/hostile.ts'
import { recordListens } from '../support/record-listens.ts'

export type Options = Partial<Omit<TaskOptions, 'connection' | 'tool'>>

export const hour = 3_600_000

/** How a connection tells that a stream broke before the answer had come. */
export const broken = { reason: 'network', message: 'The answer broke off.' }

/** A run of 2025-11-25 whose call is out. */
export async function startCall(options: Options = {}, over: Partial<TaskConnection> = {}): Promise<Run> {
  const run = startRun(options, { generation: '2025-11-25', ...over })
  ignore(run.runner.fire({ city: 'Turku' }))
  await settle()
  return run
}

/** The same with the answer to the call. */
export async function startAnswered(answer: unknown, options: Options = {}, over: Partial<TaskConnection> = {}) {
  const run = await startCall(options, over)
  await run.connection.last('tools/call').answer(answer as JsonObject)
  return run
}

/** The same with a task that a read found waiting for input, so that its result is being fetched. */
export async function startWaiting(options: Options = {}, over: Partial<TaskConnection> = {}) {
  const run = await startAnswered(wrapped(), options, over)
  await vi.advanceTimersByTimeAsync(1000)
  await run.connection.last('tasks/get').answer(flat('input_required'))
  return { ...run, fetch: run.connection.last('tasks/result') }
}

/** The keys of the prompts that are shown, oldest first. */
export const openKeys = ({ view }: Pick<Run, 'view'>): string[] => Object.keys(view().inputRequests)

/** Runs of 2026-07-28 over one connection whose subscriptions are recorded. */
export function listening(over: Partial<TaskConnection> = {}) {
  const recorded = recordListens()
  const connection = createFakeConnection({ listen: recorded.listen, ...over })
  const start = async (taskId: string): Promise<Run> => {
    const runner = createTaskRunner({ connection, tool: 'tile_city' })
    runner.subscribe(() => {})
    ignore(runner.fire())
    await connection.last('tools/call').answer(handle({ taskId, pollIntervalMs: 60_000 }))
    return { connection, runner, view: () => runner.getSnapshot() }
  }
  return { ...recorded, connection, start }
}

/** A server that does not care what a request looks like: its `ask` gives whatever it is told in the end. */
export function createOddAsker() {
  const listeners = new Set<Parameters<NonNullable<TaskConnection['onServerRequest']>>[0]>()
  return {
    onServerRequest(listener: Parameters<NonNullable<TaskConnection['onServerRequest']>>[0]) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ask(method: unknown, params: unknown): unknown[] {
      const told: unknown[] = []
      const note = (answer: unknown) => void told.push(answer)
      for (const listener of listeners) listener({ method, params, taskId: 'tk-1' } as never)?.then(note, note)
      return told
    },
  }
}
