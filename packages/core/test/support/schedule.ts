import { createTaskRunner, type TaskReference, type TaskRunner, type TaskView } from '../../src/index.ts'
import type { Asked } from './asker.ts'
import type { Op, Options, Schedule } from './ops.ts'
import { body, endpoint, modern, secrets, type Server } from './says.ts'
import { createWorld, drain, type WireRequest, type World } from './world.ts'

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
  /** What the server asked in requests of its own. */
  readonly asked: Asked[]
  /** Called after each step. */
  view(): TaskView
}

export interface Step {
  readonly course: Course
  readonly op: Op
  readonly before: TaskView
}

/** Runs a schedule step by step; `check` looks after each. Disposes at the end, and answers nothing more. */
export async function runSchedule(
  schedule: Schedule,
  check: (step: Step) => void = () => {},
  more: Options = {},
  server: Server = modern,
): Promise<Course> {
  const world = createWorld(undefined, endpoint, server.generation)
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
    asked: [],
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
        const answer = server.answerTo(request, op.say)
        const cancelled = server.cancelledBy(answer)
        if (cancelled !== undefined) course.saidCancelled.add(cancelled)
        if (server.asksRound(answer)) course.rounds++
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
          op.say.kind === 'nonsense' ? { taskId, banana: true } : server.taskOf(op.say, taskId),
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
        const say = op.say.kind === 'result' ? body(op.say) : server.handleOf(op.say, `${secrets.id}-adopted`)
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
      case 'ask': {
        const newest = world.sent.findLast(({ method }) => method === 'tools/call')
        const id = { own: newest ? `${secrets.id}-${newest.nth}` : null, none: null, foreign: `${secrets.id}-foreign` }
        const params = { message: `${secrets.prompt} ${op.text}`, url: endpoint }
        return void course.asked.push(world.ask({ method: 'elicitation/create', params }, id[op.about]))
      }
      case 'withdraw':
        return course.asked[op.which % Math.max(1, course.asked.length)]?.withdraw()
      case 'answerOpen': {
        const keys = Object.keys(runner.getSnapshot().inputRequests).slice(0, op.count)
        return swallow(runner.respond(Object.fromEntries(keys.map((key) => [key, { action: 'accept', key }]))))
      }
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
