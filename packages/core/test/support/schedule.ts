import fc from 'fast-check'
import {
  createTaskRunner,
  type TaskOptions,
  type TaskReference,
  type TaskRunner,
  type TaskView,
} from '../../src/index.ts'
import { answerTo, body, endpoint, promptKeys, says, secrets, taskOf, type Say } from './says.ts'
import { createWorld, drain, type WireRequest, type World } from './world.ts'

export type Op =
  | { readonly do: 'answer'; readonly which: number; readonly say: Say }
  | { readonly do: 'push'; readonly say: Say; readonly older: boolean }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'respond'; readonly keys: readonly string[] }
  | { readonly do: 'result'; readonly abort: boolean }
  | { readonly do: 'progress'; readonly value: number }
  | { readonly do: 'adopt'; readonly say: Say }
  | {
      readonly do:
        | 'fire'
        | 'cancel'
        | 'retry'
        | 'resume'
        | 'resumeReference'
        | 'refresh'
        | 'detach'
        | 'reset'
        | 'watch'
        | 'unwatch'
        | 'close'
        | 'abort'
    }

const userEvents = [
  'fire',
  'fire',
  'fire',
  'cancel',
  'cancel',
  'retry',
  'resume',
  'resume',
  'resumeReference',
  'refresh',
  'detach',
  'reset',
  'watch',
  'unwatch',
  'close',
  'abort',
] as const

export const ops = (say: fc.Arbitrary<Say> = says()): fc.Arbitrary<Op> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(3), say }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('push' as const), say, older: fc.boolean() }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.constantFrom(1, 249, 250, 999, 1000, 2000, 5000, 29_999, 30_000, 60_000, 600_000),
      }),
    },
    { weight: 7, arbitrary: fc.record({ do: fc.constantFrom(...userEvents) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('respond' as const), keys: fc.subarray(promptKeys) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('result' as const), abort: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('progress' as const), value: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('adopt' as const), say }) },
  )

export type Options = Partial<Omit<TaskOptions, 'connection' | 'tool'>>

export const optionSets: fc.Arbitrary<Options> = fc.record(
  {
    whenBusy: fc.constantFrom('replace', 'reject', 'queue'),
    onUnmount: fc.constantFrom('rest', 'cancel', 'keep'),
    onInputRequired: fc.constantFrom('wait', 'cancel'),
    maxWait: fc.constantFrom(10_000, 100_000),
    cancelGrace: fc.constantFrom(5000),
  },
  { requiredKeys: [] },
)

export interface Schedule {
  readonly options: Options
  readonly ops: readonly Op[]
}

/** Random schedules: begun by a call, since nothing much happens without. */
export const schedules = (
  op: fc.Arbitrary<Op> = ops(),
  options: fc.Arbitrary<Options> = optionSets,
): fc.Arbitrary<Schedule> =>
  fc.record({ options, ops: fc.array(op, { minLength: 3, maxLength: 40 }) }).map((schedule) => ({
    ...schedule,
    ops: [{ do: 'watch' }, { do: 'fire' }, ...schedule.ops],
  }))

export interface Waiter {
  readonly kind: 'fire' | 'retry' | 'result'
  readonly outcomes: ({ value: unknown } | { reason: unknown })[]
}

/** One run through a schedule, and everything that could be seen of it. */
export interface Course {
  readonly world: World
  readonly runner: TaskRunner
  readonly options: Options
  readonly waiters: Waiter[]
  /** Whatever the verbs rejected with. */
  readonly reasons: unknown[]
  readonly settled: TaskView[]
  readonly orphans: TaskReference[]
  readonly inspected: unknown[]
  /** Runs that were asked for and begun or queued. */
  fires: number
  retries: number
  resumes: number
  adopts: number
  /** Calls that were sent again because the server asked for a round. */
  rounds: number
  /** The request that the newest step answered. */
  answered: WireRequest | null
  /** Ids that the server called cancelled. */
  readonly saidCancelled: Set<string>
  /** Called after each step. */
  view(): TaskView
}

export interface Step {
  readonly course: Course
  readonly op: Op
  readonly before: TaskView
}

const begins = new Set(['fire', 'retry', 'resume', 'resumeReference', 'reset', 'adopt'])
/** Whether the user began something new, so that the view may leave a terminal. */
export const beginsAnew = (op: Op): boolean => begins.has(op.do)

/** Runs a schedule step by step; `check` looks after each. Disposes at the end, and answers nothing more. */
export async function runSchedule(
  schedule: Schedule,
  check: (step: Step) => void = () => {},
  more: Options = {},
): Promise<Course> {
  const world = createWorld(undefined, endpoint)
  const course: Course = {
    world,
    options: schedule.options,
    waiters: [],
    reasons: [],
    settled: [],
    orphans: [],
    inspected: [],
    fires: 0,
    retries: 0,
    resumes: 0,
    adopts: 0,
    rounds: 0,
    answered: null,
    saidCancelled: new Set(),
    view: () => course.runner.getSnapshot(),
    runner: undefined as never,
  }
  const runner = createTaskRunner({
    connection: world,
    tool: 'tile_city',
    ...schedule.options,
    onSettled: (view) => course.settled.push(view),
    onOrphan: (reference) => course.orphans.push(reference),
    inspect: (event) => course.inspected.push(event),
    ...more,
  })
  Object.assign(course, { runner })
  const controller = { current: new AbortController() }
  const stops: (() => void)[] = []
  const references: TaskReference[] = []
  const swallow = (promise: Promise<unknown>) => void promise.catch((reason: unknown) => course.reasons.push(reason))
  const wait = (kind: Waiter['kind'], promise: Promise<unknown>) => {
    const waiter: Waiter = { kind, outcomes: [] }
    course.waiters.push(waiter)
    promise.then(
      (value) => waiter.outcomes.push({ value }),
      (reason: unknown) => (waiter.outcomes.push({ reason }), course.reasons.push(reason)),
    )
  }
  /** The ids that were heard of, newest first. */
  const known = () =>
    world.sent
      .filter(({ method, endedAt }) => method === 'tools/call' && endedAt !== null)
      .map(({ nth }) => `${secrets.id}-${nth}`)
      .toReversed()

  const act = (op: Op) => {
    switch (op.do) {
      case 'answer': {
        const { open } = world
        const request = open[open.length - 1 - (op.which % Math.max(1, open.length))]
        if (!request) return undefined
        const answer = answerTo(request, op.say)
        if ('result' in answer) {
          const { taskId, status, resultType } = answer.result as Record<string, string>
          if (status === 'cancelled' && taskId) course.saidCancelled.add(taskId)
          if (resultType === 'input_required') course.rounds++
        }
        course.answered = request
        return request.settle(answer)
      }
      case 'push': {
        const newest = world.sent.findLast(({ method }) => method === 'tools/call')
        const own = op.older ? known()[0] : newest && `${secrets.id}-${newest.nth}`
        if (!own) return undefined
        const taskId = op.say.kind === 'foreign' ? `${secrets.id}-foreign` : own
        if (op.say.status === 'cancelled') course.saidCancelled.add(taskId)
        return world.push(
          op.say.isError ? 'notifications/tasks/status' : 'notifications/tasks',
          op.say.kind === 'nonsense' ? { taskId, banana: true } : taskOf(op.say, taskId),
        )
      }
      case 'respond': {
        const answers = Object.fromEntries(op.keys.map((key) => [key, { action: 'accept', content: secrets.answer }]))
        return swallow(runner.respond(answers))
      }
      case 'result':
        return wait('result', runner.result(op.abort ? { signal: controller.current.signal } : {}))
      case 'progress': {
        const call = world.sent.findLast(({ method }) => method === 'tools/call')
        return call?.options.onProgress?.({ progress: op.value, total: 100, message: 'on it' })
      }
      case 'adopt': {
        const say = op.say.kind === 'result' ? body(op.say) : taskOf(op.say, `${secrets.id}-adopted`, false)
        course.adopts++
        // A handle that somebody else obtained is the server's word, too.
        if (op.say.kind !== 'result' && op.say.status === 'cancelled') course.saidCancelled.add(`${secrets.id}-adopted`)
        return runner.adopt(say)
      }
      case 'fire':
        course.fires++
        return wait('fire', runner.fire({ city: secrets.argument }, { signal: controller.current.signal }))
      case 'retry':
        if (runner.getSnapshot().canRetry) course.retries++
        return wait('retry', runner.retry())
      case 'resume':
        course.resumes++
        return swallow(runner.resume())
      case 'resumeReference': {
        const reference = references.at(-1)
        if (!reference) return undefined
        course.resumes++
        return swallow(runner.resume(reference))
      }
      case 'reset': {
        const reference = runner.reset()
        if (reference) references.push(reference)
        return undefined
      }
      case 'watch':
        return void stops.push(runner.subscribe(() => {}))
      case 'unwatch':
        return stops.pop()?.()
      case 'abort':
        controller.current.abort(new Error('stop waiting'))
        controller.current = new AbortController()
        return undefined
      case 'close':
        return world.close()
      case 'cancel':
      case 'refresh':
        return swallow(runner[op.do]())
      case 'detach':
        return runner.detach()
      case 'advance':
        return undefined
    }
  }

  for (const op of schedule.ops) {
    const before = runner.getSnapshot()
    course.answered = null
    if (runner.reference && op.do !== 'reset') references.splice(0, references.length - 1, runner.reference)
    if (op.do === 'advance') await world.clock.advance(op.ms)
    else act(op)
    await drain()
    check({ course, op, before })
  }
  runner.dispose()
  await drain()
  return course
}
