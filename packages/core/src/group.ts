import type { AnyActorRef } from 'xstate'
import { callOut } from './call-out.ts'
import { TaskError } from './errors.ts'
import { expected, type TaskOptions } from './options.ts'
import { createRunner } from './runner.ts'
import { Slots } from './slots.ts'
import type { TaskRunner } from './task-runner.ts'
import type { TaskConnection } from './connection.ts'
import type { JsonObject } from './task.ts'
import { phases, type Phase, type TaskView } from './view.ts'

/** What a group is made from: the options its members have by default, and its own. */
export interface TaskGroupOptions extends Partial<TaskOptions> {
  readonly connection: TaskConnection
  /** Runs in flight at once; the others show `submitting`, and nothing is sent for them yet. @default no limit */
  readonly maxConcurrent?: number
}

/** What all members show together: the same object until something visible changes. */
export interface TaskGroupView {
  /** In the order in which they were fired. */
  readonly views: readonly TaskView[]
  readonly counts: Readonly<Record<Phase, number>>
  /** 0–100, a run that has ended counting as done and one that tells nothing as not begun; `null` while nothing is known. */
  readonly percent: number | null
}

/** Many runs as one: started together, limited together, settled together. All verbs are bound. */
export interface TaskGroup {
  /** Calls a tool as soon as there is room. The runner is the group's: dispose of the group, not of it. */
  fire<Input = JsonObject, Output = unknown>(
    tool: string,
    args?: Input,
    options?: Partial<TaskOptions<Output>>,
  ): TaskRunner<Input, Output>
  /** Resolves with all views once no member is in flight: each has ended, is in trouble, or was reset. Never rejects for what a member does. */
  settled(): Promise<readonly TaskView[]>
  getSnapshot(): TaskGroupView
  /** An empty group: what a server renders, and what hydration starts from. */
  getInitialSnapshot(): TaskGroupView
  /** Calls the listener when something visible has changed, at most once per 16 ms. Reading rests while nobody is subscribed. */
  subscribe(listener: () => void): () => void
  /** Asks for every member to be cancelled; nothing is sent for those that wait for room. Resolves when the requests are answered. */
  cancelAll(): Promise<void>
  /** Lets every member go, without cancelling it. */
  dispose(): void
}

interface Member {
  readonly runner: TaskRunner<any, any>
  view: TaskView
  leave: (() => void) | undefined
}

/** ms; nobody sees more, and drawing every change of very many members would cost the square of their number. */
const frame = 16

const isInFlight = ({ isWorking }: TaskView) => isWorking

const empty = summarize([])

/**
 * Creates a group. Creating it sends nothing. Options are the defaults of its members; `fire` can override them.
 *
 * @throws TypeError if an option is not what it should be
 */
export function createTaskGroup(options: TaskGroupOptions): TaskGroup {
  const { maxConcurrent = Infinity, ...shared } = options
  expected(typeof shared.connection?.request === 'function', '`connection` to be a TaskConnection')
  expected(
    maxConcurrent === Infinity || (Number.isInteger(maxConcurrent) && maxConcurrent > 0),
    '`maxConcurrent` to be a positive integer',
  )
  const { clock } = shared.connection
  const members: Member[] = []
  const slots = new Slots(maxConcurrent)
  const listeners = new Set<() => void>()
  const settling: { resolve(views: readonly TaskView[]): void; reject(error: TaskError): void }[] = []
  let snapshot = empty
  let isOld = false
  let inFlight = 0
  let disposed = false

  const getSnapshot = () => {
    if (isOld) snapshot = summarize(members.map(({ view }) => view))
    isOld = false
    return snapshot
  }

  /** Whether members are read follows from whether anybody looks at the group. */
  const updateWatch = () => {
    const wanted = listeners.size > 0 || settling.length > 0
    for (const member of members) watch(member, wanted)
  }
  const watch = (member: Member, wanted: boolean) => {
    if (wanted) member.leave ??= member.runner.subscribe(() => {})
    else {
      member.leave?.()
      member.leave = undefined
    }
  }

  const settle = () => {
    if (inFlight > 0 || settling.length === 0) return
    const { views } = getSnapshot()
    for (const { resolve } of settling.splice(0)) resolve(views)
    updateWatch()
  }

  const tell = () => {
    toldAt = clock.now()
    timer = undefined
    for (const listener of [...listeners]) callOut(listener, undefined)
  }
  let isChanging = false
  let timer: unknown
  /** ms */
  let toldAt = -Infinity
  const changed = () => {
    isOld = true
    if (isChanging) return
    isChanging = true
    queueMicrotask(() => {
      isChanging = false
      if (disposed) return
      settle()
      if (listeners.size === 0 || timer !== undefined) return
      const wait = toldAt + frame - clock.now()
      if (wait > 0 && wait <= frame) timer = clock.setTimeout(tell, wait)
      else tell()
    })
  }

  const stopTelling = () => {
    if (timer !== undefined) clock.clearTimeout(timer)
    timer = undefined
  }

  const look = (member: Member) => {
    const view = member.runner.getSnapshot()
    if (view === member.view) return
    inFlight += Number(isInFlight(view)) - Number(isInFlight(member.view))
    member.view = view
    if (!isInFlight(view)) slots.release(member)
    changed()
  }

  return {
    fire(tool, args, own) {
      if (disposed) throw superseded('This group was disposed: create another one.')
      // A member asks for its slot by itself, whenever it is about to call the tool.
      const runner = createRunner<any, any>({ ...shared, ...own, tool } as TaskOptions, () => slots.take(member))
      const member: Member = { runner, view: runner.getSnapshot(), leave: undefined }
      members.push(member)
      // The runner hears of a change before this does.
      ;(runner.actor as AnyActorRef).subscribe(() => look(member))
      watch(member, listeners.size > 0 || settling.length > 0)
      changed()
      // How it ends is seen in its view.
      runner.fire(args).catch(() => {})
      return runner
    },
    settled() {
      if (disposed) return Promise.reject(superseded('This group was disposed: create another one.'))
      if (inFlight === 0) return Promise.resolve(getSnapshot().views)
      return new Promise((resolve, reject) => {
        settling.push({ resolve, reject })
        updateWatch()
      })
    },
    getSnapshot,
    getInitialSnapshot: () => empty,
    subscribe(listener) {
      const entry = () => listener()
      listeners.add(entry)
      updateWatch()
      return () => {
        if (!listeners.delete(entry)) return
        updateWatch()
        if (listeners.size === 0) stopTelling()
      }
    },
    async cancelAll() {
      await Promise.all(members.filter(({ view }) => !view.isTerminal).map(({ runner }) => runner.cancel()))
    },
    dispose() {
      if (disposed) return
      disposed = true
      for (const { runner } of members) runner.dispose()
      for (const { reject } of settling.splice(0)) reject(superseded('The group was disposed before it had settled.'))
      listeners.clear()
      stopTelling()
    },
  }
}

const superseded = (message: string) => new TaskError({ kind: 'superseded', message })

function summarize(views: readonly TaskView[]): TaskGroupView {
  const counts = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>
  let sum = 0
  let isKnown = false
  for (const { phase, isTerminal, progress } of views) {
    counts[phase]++
    const percent = isTerminal ? 100 : (progress?.percent ?? null)
    isKnown ||= percent !== null
    sum += percent ?? 0
  }
  return { views, counts, percent: isKnown ? sum / views.length : null }
}
