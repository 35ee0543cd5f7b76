import type { Clock, TaskConnection } from '../connection.ts'
import { expected } from '../options.ts'
import type { JobToolsOptions } from '../protocols/job-tools.ts'
import type { JsonObject } from '../task.ts'
import { checkSchedule } from './check-schedule.ts'
import { createLink } from './link.ts'
import type { Schedule } from './schedule.ts'
import { Server } from './server.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** How a scripted server answers: tasks of 2026-07-28, tasks of 2025-11-25, plain calls with progress, or tools for jobs. */
export type Flavour = 'extension' | 'augmented' | 'plain' | 'jobTools'

/** The job tools that a scripted server has unless it is told other names: give them to `jobTools()`. */
export const reportTools = {
  start: 'start_report',
  status: 'get_report_status',
  cancel: 'cancel_report',
  retry: 'retry_report',
} as const satisfies JobToolsOptions

/** Settings of a scripted server. Times are in ms. */
export interface ScriptedServerOptions<Time extends Clock = TestClock> {
  /** @default 'extension' */
  readonly flavour?: Flavour
  /** `systemClock` lets a story take its time. @default a test clock of its own */
  readonly clock?: Time
  /** What happens from the moment in which it is cancelled, in place of the rest; `[]`: it goes on as if nobody had asked. @default cancelled at once */
  readonly onCancel?: Schedule
  /** What happens to every run but the first. @default the same */
  readonly onRetry?: Schedule
  /** How often tasks may be read. @default 1000 */
  readonly pollInterval?: number
  /** How long tasks are kept; they are, in fact, kept for ever. @default null: unlimited */
  readonly ttl?: number | null
  /** How long each answer takes. @default 0: as long as promises need */
  readonly latency?: number
  /** What the tools say of themselves (2025-11-25). @default 'optional' */
  readonly taskSupport?: 'required' | 'optional' | 'forbidden'
  /** The names of the job tools. @default {@link reportTools} */
  readonly tools?: Pick<JobToolsOptions, 'start' | 'status' | 'cancel' | 'retry' | 'result'>
  /** @default 'https://scripted.example/mcp' */
  readonly endpoint?: string
}

/** A request as it arrived. */
export interface ScriptedRequest {
  readonly method: string
  readonly params: JsonObject
  /** ms of the clock. */
  readonly at: number
}

/** A server that does what its schedule says, and what it saw. */
export interface ScriptedServer<Time extends Clock = TestClock> {
  /** Give it to a runner or a provider. */
  readonly connection: TaskConnection
  readonly clock: Time
  /** Everything that arrived, oldest first. */
  readonly requests: readonly ScriptedRequest[]
  /** How often a method was asked for, or a tool called. */
  count(name: string): number
  /** Everything that its questions were answered with, oldest first. */
  readonly answers: readonly { readonly key: string; readonly answer: JsonObject }[]
  /** Sends a notification that the schedule does not have. */
  push(method: string, params: JsonObject): void
  /** Closes the connection, or opens it again, beside the schedule. */
  close(reason?: unknown): void
  open(): void
}

/**
 * Makes a server that answers from a schedule: every call begins it anew, by the clock. There is no network and no test runner in it.
 *
 * @example
 * const server = createScriptedServer([{ after: 500, message: 'Reading' }, { after: 1500, status: 'completed', result: 'Done' }])
 * const runner = createTaskRunner({ connection: server.connection, tool: 'start_report' })
 * void runner.fire()
 * await server.clock.advance(2000)
 * @throws TypeError if the schedule or an option is not what it should be
 */
export function createScriptedServer(schedule: Schedule, options?: ScriptedServerOptions): ScriptedServer
export function createScriptedServer<Time extends Clock>(
  schedule: Schedule,
  options: ScriptedServerOptions<Time> & { readonly clock: Time },
): ScriptedServer<Time>
export function createScriptedServer(
  schedule: Schedule,
  options: ScriptedServerOptions<Clock> = {},
): ScriptedServer<Clock> {
  const settings = toSettings(schedule, options)
  const requests: ScriptedRequest[] = []
  const link = createLink(settings.clock, settings.latency)
  const server = new Server(settings, link)
  const { generation, supportsTasks } = abilities[settings.flavour]
  const connection: TaskConnection = {
    request(method, params, settings_ = {}) {
      requests.push({ method, params, at: settings.clock.now() })
      return link.answer(() => server.answer(method, params, settings_), settings_.signal)
    },
    onNotification: link.onNotification,
    ...(settings.flavour === 'extension' && { listen: link.listen }),
    onServerRequest: link.onServerRequest,
    onClose: link.onClose,
    onOpen: link.onOpen,
    supportsTasks,
    generation,
    taskSupport: () => Promise.resolve(settings.taskSupport),
    endpoint: settings.endpoint,
    clock: settings.clock,
    // Without jitter, so that a story is told the same way each time.
    random: () => 0,
  }
  return {
    connection,
    clock: settings.clock,
    requests,
    answers: server.answers,
    count: (name) => requests.filter(({ method, params }) => method === name || params['name'] === name).length,
    push: link.push,
    close: link.close,
    open: link.open,
  }
}

const abilities = {
  extension: { generation: '2026-07-28', supportsTasks: true },
  augmented: { generation: '2025-11-25', supportsTasks: true },
  plain: { generation: 'none', supportsTasks: false },
  jobTools: { generation: 'none', supportsTasks: false },
} as const satisfies Record<Flavour, unknown>

/** The options with every default filled in. */
export type ServerSettings = ReturnType<typeof toSettings>

function toSettings(schedule: Schedule, options: ScriptedServerOptions<Clock>) {
  const { flavour = 'extension', clock = createTestClock(), pollInterval = 1000, latency = 0, ttl = null } = options
  expected(Object.hasOwn(abilities, flavour), `\`flavour\` to be one of ${Object.keys(abilities).join(', ')}`)
  expected(
    ['now', 'setTimeout', 'clearTimeout'].every((name) => typeof clock?.[name as 'now'] === 'function'),
    '`clock` to have now, setTimeout and clearTimeout, like createTestClock()',
  )
  expected(pollInterval > 0, '`pollInterval` to be a positive number of ms')
  expected(latency >= 0, '`latency` to be a number of ms, 0 or more')
  expected(ttl === null || ttl > 0, '`ttl` to be a positive number of ms, or null')
  const { taskSupport = 'optional', tools = reportTools, endpoint = 'https://scripted.example/mcp' } = options
  const { onCancel = [{ status: 'cancelled' }], onRetry = schedule } = options
  const isCancellable = options.onCancel !== undefined || flavour !== 'plain'
  return {
    flavour,
    clock,
    pollInterval,
    latency,
    ttl,
    taskSupport,
    tools,
    endpoint,
    schedule: checkSchedule(schedule, 'the schedule', flavour),
    onCancel: isCancellable ? checkSchedule(onCancel, '`onCancel`', flavour) : [],
    onRetry: checkSchedule(onRetry, '`onRetry`', flavour),
  }
}
