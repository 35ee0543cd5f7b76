import { vi } from 'vitest'
import type { FireOptions, JsonObject, TaskConnection } from '../../src/index.ts'
import { createFakeConnection, elicitation, relatedTo, settle, toolResult } from './fake-connection.ts'
import { createRun, ignore, type Options, type Run } from './runs.ts'

// What a server of 2025-11-25 says, and runs over a connection to one.

export const statusPush = 'notifications/tasks/status'

/** A task as a read, a push and the answer to a cancel give it: flat, and without its payload. */
export const flat = (status = 'working', over: JsonObject = {}): JsonObject => ({
  taskId: 'tk-1',
  status,
  ttl: null,
  pollInterval: 1000,
  ...over,
})
/** A task as the answer to a call gives it. */
export const wrapped = (over: JsonObject = {}, beside: JsonObject = {}): JsonObject => ({
  task: flat('working', over),
  ...beside,
})
/** What `tasks/result` gives. */
export const payload = (text = '60 tiles', over: JsonObject = {}): JsonObject =>
  toolResult(text, { _meta: relatedTo('tk-1'), ...over })

export const connectAugmented = (over: Partial<TaskConnection> = {}) =>
  createFakeConnection({ generation: '2025-11-25', ...over })

/** A runner over a connection of 2025-11-25. */
export const createAugmentedRun = (options: Options = {}, over: Partial<TaskConnection> = {}): Run =>
  createRun(options, connectAugmented(over))

/** Calls the tool; nothing is answered yet. What the tool supports is asked first, so that the call goes out a moment later. */
export async function fireCall({ runner, connection }: Run, options: FireOptions = {}) {
  ignore(runner.fire({ city: 'Turku' }, options))
  await settle()
  return connection.last('tools/call')
}

/** Calls the tool and has it answered with a task. */
export async function startTask(run: Run, over: JsonObject = {}): Promise<void> {
  await (await fireCall(run)).answer(wrapped(over))
}

/** Has the next read say so. */
export async function readSays(run: Run, status: string, over: JsonObject = {}): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000)
  await run.connection.last('tasks/get').answer(flat(status, over))
}

/** A task that a read found waiting for input. Its result is being fetched, and on that stream comes one prompt. */
export async function startAsking(options: Options = {}) {
  const run = createAugmentedRun(options)
  await startTask(run)
  await readSays(run, 'input_required')
  const fetch = run.connection.last('tasks/result')
  const asked = await run.connection.ask(elicitation(), 'tk-1')
  return { run, fetch, asked }
}

/** The keys of the prompts that are shown, oldest first. */
export const openKeys = ({ view }: Run): string[] => Object.keys(view().inputRequests)
/** What the prompts that are shown ask, oldest first. */
export const openMessages = ({ view }: Run): unknown[] =>
  Object.values(view().inputRequests).map(({ params }) => params['message'])
