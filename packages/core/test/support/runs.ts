import { vi } from 'vitest'
import { createTaskRunner, type JsonObject, type Phase, type TaskOptions, type TaskReference } from '../../src/index.ts'
import type { TaskView } from '../../src/index.ts'
import { createFakeConnection, handle, settle } from './fake-connection.ts'

/** Answers prompts by itself. */
export type Answer = Exclude<NonNullable<TaskOptions['onInputRequired']>, string>
export type Options = Partial<Omit<TaskOptions, 'connection' | 'tool'>>

/** A runner that somebody watches, over its own connection, with a record of everything it told. */
export function createRun(options: Options = {}, connection = createFakeConnection()) {
  const orphans: TaskReference[] = []
  const settled: TaskView[] = []
  const views: TaskView[] = []
  const runner = createTaskRunner({
    connection,
    tool: 'tile_city',
    onOrphan: (reference) => orphans.push(reference),
    onSettled: (view) => settled.push(view),
    ...options,
  })
  const unwatch = runner.subscribe(() => views.push(runner.getSnapshot()))
  return {
    connection,
    runner,
    orphans,
    settled,
    /** Every view that was told, oldest first. */
    views,
    /** Every phase that was told, without repetitions. */
    phases: (): Phase[] => views.map(({ phase }) => phase).filter((phase, at, all) => phase !== all[at - 1]),
    unwatch,
    view: () => runner.getSnapshot(),
  }
}
export type Run = ReturnType<typeof createRun>

/** For promises whose outcome is not what the test is about. */
export const ignore = (promise: Promise<unknown>): void => void promise.catch(() => {})

/** Whether a promise is settled, and how, without waiting for it. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'pending'
  promise.then(
    () => (state = 'resolved'),
    (error: unknown) => (state = `rejected: ${(error as { kind?: string }).kind ?? String(error)}`),
  )
  await settle()
  return state
}

/** Calls the tool; nothing is answered yet. */
export function fire({ runner, connection }: Run) {
  ignore(runner.fire({ city: 'Turku' }))
  return connection.last('tools/call')
}

/** Calls the tool and has it answered with a task. */
export async function fireTask(run: Run, over: JsonObject = {}): Promise<void> {
  await fire(run).answer(handle(over))
}

/** Waits for the next read at its time. */
export async function nextRead({ connection }: Run) {
  await vi.advanceTimersByTimeAsync(1000)
  return connection.last('tasks/get')
}

/** Cancels, and gives the request that this sent. */
export function cancel({ runner, connection }: Run) {
  ignore(runner.cancel())
  return connection.last('tasks/cancel')
}

/** What can go wrong with a request. */
export const trouble = {
  gone: { code: -32602, message: 'Task not found' },
  busy: { status: 503, message: 'Service Unavailable' },
  reset: { code: 'ECONNRESET', message: 'socket hang up' },
  unsent: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
  unauthorized: { status: 401, message: 'Unauthorized' },
  unknownMethod: { code: -32601, message: 'Method not found' },
  internal: { code: -32603, message: 'renderer lost' },
} as const
