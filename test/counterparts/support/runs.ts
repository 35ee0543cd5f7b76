import {
  createTaskRunner,
  type JsonObject,
  type Phase,
  type TaskConnection,
  type TaskOptions,
  type TaskRunner,
  type TaskView,
} from '@mcp-task-machine/core'
import type { Connected } from './clients.ts'
import type { Json, Line } from './wire.ts'

const runners: TaskRunner[] = []

/** A runner over this connection that keeps the server's pace, however fast. */
export function run({ connection }: Pick<Connected, 'connection'>, tool: string, options: Partial<TaskOptions> = {}) {
  const runner = createTaskRunner({ connection, tool, minPollInterval: 50, ...options })
  runners.push(runner)
  return runner
}

/** The same connection for one who is told nothing unasked, and whose reads get no answer before they are released. */
export function holdReads({ connection }: Connected): Pick<Connected, 'connection'> & { release(): void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const request: TaskConnection['request'] = async (method, ...rest) => {
    if (method === 'tasks/get') await released
    return connection.request(method, ...rest)
  }
  const held = Object.create(connection, { onNotification: { value: () => () => {} }, request: { value: request } })
  return { connection: held, release }
}

/** Lets go of what the tests of a file have started. */
export function disposeRunners(): void {
  for (const runner of runners.splice(0)) runner.dispose()
}

/** What a subscriber is shown, without repetitions. */
export function follow(runner: TaskRunner) {
  const phases: Phase[] = []
  const messages: string[] = []
  const progress: number[] = []
  const views: TaskView[] = []
  runner.subscribe(() => {
    const view = runner.getSnapshot()
    views.push(view)
    if (phases.at(-1) !== view.phase) phases.push(view.phase)
    for (const message of [view.task?.statusMessage, view.progress?.message])
      if (message && !messages.includes(message)) messages.push(message)
    const { percent } = view.progress ?? {}
    if (typeof percent === 'number' && progress.at(-1) !== percent) progress.push(percent)
  })
  return { phases, messages, progress, views }
}

/** Resolves with the first view that fits. */
export function viewWhere(runner: TaskRunner, fits: (view: TaskView) => boolean): Promise<TaskView> {
  return new Promise((resolve) => {
    let stop = () => {}
    const look = () => {
      const view = runner.getSnapshot()
      if (!fits(view)) return
      stop()
      resolve(view)
    }
    stop = runner.subscribe(look)
    look()
  })
}

/** Answers the prompts that are open as soon as there is one. */
export async function answerPrompts(runner: TaskRunner, answer: JsonObject): Promise<TaskView> {
  const view = await viewWhere(runner, ({ canRespond }) => canRespond)
  await runner.respond(Object.fromEntries(Object.keys(view.inputRequests).map((key) => [key, answer])))
  return view
}

/** Waits until the server itself says so, past any runner. */
export async function untilStatus(
  { connection }: Connected,
  taskId: string,
  statuses: readonly string[],
): Promise<Json> {
  for (;;) {
    const task: Json = await connection.request('tasks/get', { taskId })
    if (statuses.includes(task['status'])) return task
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Cancels, and waits for what the server says to it. */
export async function cancelAndHear(runner: TaskRunner, { wire }: Connected): Promise<Line> {
  const { taskId } = runner.getSnapshot().task!
  void runner.cancel()
  await wire.line(({ message }) => message['method'] === 'tasks/cancel' && message['params'].taskId === taskId)
  const [sent] = wire.sent('tasks/cancel', { taskId })
  return wire.line(() => wire.answer(sent!) !== undefined).then(() => wire.answer(sent!)!)
}

export const textOf = (result: { readonly content: readonly JsonObject[] }) =>
  result.content.map(({ text }) => text).join('\n')
