import type { AnyActorRef } from 'xstate'
import { callOut } from './call-out.ts'
import { TaskError } from './errors.ts'
import { Handle } from './handle.ts'
import { redactingObserver } from './inspect.ts'
import { readAnswer } from './protocols/call.ts'
import { expected, toSettings, type FireOptions, type Settings, type TaskOptions } from './options.ts'
import { isSamePrincipal, type TaskReference } from './reference.ts'
import type { TaskEvent } from './machine/events.ts'
import { createTaskActor } from './machine/shared.ts'
import { assertResumable, configuredProtocol, toReference } from './machine/runtime.ts'
import type { TaskRunner } from './task-runner.ts'
import { keepReference } from './keep-reference.ts'
import { sameView, toTaskView } from './machine/to-view.ts'
import type { JsonObject } from './task.ts'
import type { TaskView } from './view.ts'
import { isObject } from './wire/json.ts'
import type { Outcome } from './wire/news.ts'
import { checkOutput } from './wire/result.ts'
import { createWaits } from './waits.ts'

/** Whether an invoked actor is still at work; XState keeps those that are done until their state is left. */
const isActive = (child: AnyActorRef | undefined) => child?.getSnapshot().status === 'active'

/**
 * Creates a runner. Creating it sends nothing and arms no timer; `fire`, `resume` and `adopt` begin a run.
 *
 * @example
 * const runner = createTaskRunner({ connection: fromClient(client), tool: 'start_research' })
 * runner.subscribe(() => console.log(runner.getSnapshot().phase))
 * await runner.fire({ query: 'tides' })
 * const { data } = await runner.result()
 * @throws TypeError if an option is not what it should be
 */
export function createTaskRunner<Input = JsonObject, Output = unknown>(
  options: TaskOptions<Output>,
): TaskRunner<Input, Output> {
  return createRunner(options)
}

/** The same, for a group that has only so much room. */
export function createRunner<Input, Output>(
  options: TaskOptions<Output>,
  admit?: Settings['admit'],
): TaskRunner<Input, Output> {
  const settings: Settings = { ...toSettings(options as TaskOptions), admit }
  const { inspect, inspectPayloads = false, onUnmount = 'rest' } = settings
  const { actor, runtime } = createTaskActor(
    settings,
    inspect ? { inspect: redactingObserver(inspect, inspectPayloads) } : {},
  )
  const listeners = new Set<() => void>()
  const initial = (options.initialView ?? toTaskView<Output>(actor.getSnapshot())) as TaskView<Output>
  let view = initial
  let disposed = false

  const send = actor.send.bind(actor)
  const waits = createWaits<Output>(actor, updateWatch)
  /** Somebody has looked, so that somebody can leave: what nobody ever subscribes to is simply read to its end. */
  let mounted = false
  let watched = true

  const getReference = () => {
    const { isIdle, isTerminal } = toTaskView(actor.getSnapshot())
    return isIdle || isTerminal ? null : toReference(runtime, actor.getSnapshot().context)
  }
  const check: (reference: unknown) => asserts reference is TaskReference = (reference) =>
    assertResumable(runtime, reference)
  const keeper = keepReference({ settings, actor, reference: getReference, check })
  runtime.keep = keeper?.save

  actor.subscribe((snapshot) => {
    const next = toTaskView<Output>(snapshot)
    const isUntouched = next.isIdle && snapshot.context.epoch === 0
    if (!isUntouched && !sameView(view as TaskView<never>, next as TaskView<never>)) {
      view = next
      // A copy: a listener may unsubscribe itself or another.
      for (const listener of [...listeners]) callOut(listener, undefined)
    }
    waits.look()
    keeper?.save()
  })
  actor.start()

  function updateWatch() {
    const wanted = listeners.size > 0 || waits.watching() > 0
    mounted ||= listeners.size > 0
    // Not of an endpoint that can't be told yet: of a client that is still to be connected.
    if (wanted && runtime.connection.endpoint !== '') keeper?.watched()
    if (wanted === watched || !mounted || disposed || onUnmount === 'keep') return
    if (wanted) {
      watched = true
      return send({ type: 'watch' })
    }
    // Frameworks drop and retake a subscription within one tick, so look again once the dust has settled.
    queueMicrotask(() => {
      if (listeners.size > 0 || waits.watching() > 0 || !watched || disposed) return
      watched = false
      if (onUnmount === 'cancel') send({ type: 'cancel' })
      send({ type: 'unwatch' })
    })
  }

  function demandAlive() {
    if (disposed) throw new TaskError({ kind: 'superseded', message: 'This runner was disposed: create another one.' })
  }

  async function begin(
    event: { type: 'fire'; args: JsonObject; options: FireOptions } | { type: 'retry' },
    signal?: AbortSignal,
  ) {
    signal?.throwIfAborted()
    const before = actor.getSnapshot().context
    keeper?.begins()
    send(event)
    // Sent from a listener, it is heard once the machine is through with what it does now.
    if (actor.getSnapshot().context === before) await Promise.resolve()
    const after = actor.getSnapshot().context
    const queued = after.queue.length > before.queue.length
    if (after.epoch === before.epoch && !queued) {
      throw new TaskError({
        kind: 'not-sent',
        message: 'A run is going on, and `whenBusy` is `reject`: nothing was sent.',
        retryable: true,
      })
    }
    const epoch = after.epoch + (queued ? after.queue.length : 0)
    const task = await waits.answered(epoch, signal)
    return new Handle<Output>(epoch, task, actor, verbs, waits)
  }

  const verbs: Omit<TaskRunner<Input, Output>, 'reference'> = {
    async fire(args, fireOptions = {}) {
      demandAlive()
      expected(args === undefined || isObject(args), 'the arguments to be an object')
      const { ttl } = fireOptions
      expected(ttl === undefined || (Number.isFinite(ttl) && ttl > 0), '`ttl` to be a positive number of ms')
      return begin({ type: 'fire', args: (args ?? {}) as JsonObject, options: fireOptions }, fireOptions.signal)
    },
    async cancel() {
      if (disposed) return
      send({ type: 'cancel' })
      await waits.until(
        ({ context, children }) =>
          !isActive(children['cancel']) && !isActive(children['submit']) && !context.asked.includes('cancel'),
      )
    },
    async respond(answers) {
      expected(
        isObject(answers) && Object.values(answers).every(isObject),
        'answers to be an object of answers, by the key of their prompt',
      )
      if (disposed) return
      const isCallOpen = actor.getSnapshot().matches({ submitting: 'sending' })
      send({ type: 'respond', answers })
      // Answered where it was asked: the call goes on.
      if (isCallOpen) return
      await waits.until(({ children }) => !isActive(children['respond']) && !isActive(children['submit']))
    },
    async retry() {
      demandAlive()
      const { canRetry } = toTaskView(actor.getSnapshot())
      if (!canRetry) throw new TaskError({ kind: 'not-sent', message: 'There is nothing to retry: see `canRetry`.' })
      return begin({ type: 'retry' })
    },
    async resume(reference) {
      demandAlive()
      if (reference != null) {
        check(reference)
        keeper?.begins()
        send({ type: 'resume', reference })
      } else {
        const { epoch } = actor.getSnapshot().context
        const stored = keeper?.resume()
        if (stored) await stored
        const { context } = actor.getSnapshot()
        const { isWorking } = toTaskView(actor.getSnapshot())
        if (context.epoch === epoch) {
          expected(isWorking || context.task?.taskId != null, 'a TaskReference: there is no task here to go on with')
          send({ type: 'resume' })
        }
      }
      await waits.until(({ context }) => context.asked.length === 0)
    },
    adopt(answer) {
      demandAlive()
      expected(isObject(answer), 'the answer to a tools/call: a result or a task handle')
      const news = configuredProtocol(runtime).readAnswer?.(answer) ?? readAnswer(answer, runtime.connection)
      const error = news.outcome?.as === 'failed' && news.outcome.error.kind === 'malformed'
      expected(news.task !== undefined && !error, 'the answer to a tools/call: a result or a task handle')
      const outcome = news.outcome && checkOutput(news.outcome, settings.output)
      const adopt = (checked: Outcome | undefined) => {
        keeper?.begins()
        if (!disposed)
          send({ type: 'adopt', answer, news: { ...news, ...(checked && { outcome: checked }) } } as TaskEvent)
      }
      if (outcome instanceof Promise) void outcome.then(adopt)
      else adopt(outcome)
    },
    async refresh() {
      if (disposed) return
      send({ type: 'refresh' })
      await waits.until(({ context }) => context.asked.length === 0)
    },
    detach() {
      if (!disposed) send({ type: 'detach' })
    },
    reset() {
      const reference = getReference()
      if (!disposed) send({ type: 'reset' })
      return reference
    },
    async result({ signal } = {}) {
      demandAlive()
      return waits.result(actor.getSnapshot().context.epoch, signal)
    },
    useConnection(connection) {
      demandAlive()
      expected(typeof connection?.request === 'function', 'a TaskConnection, for example fromClient(client)')
      const { endpoint, principal } = runtime.connection
      expected(connection.endpoint === endpoint, 'a connection to the same endpoint')
      expected(isSamePrincipal(connection.principal, principal), 'a connection of the same principal')
      runtime.connection = connection
      send({ type: 'reconnected' })
    },
    getSnapshot: () => view,
    getInitialSnapshot: () => initial,
    subscribe(listener) {
      // A wrapper: the same function may subscribe twice.
      const entry = () => listener()
      listeners.add(entry)
      updateWatch()
      return () => {
        listeners.delete(entry)
        updateWatch()
      }
    },
    actor,
    dispose() {
      if (disposed) return
      disposed = true
      keeper?.stop()
      actor.stop()
      waits.dispose()
      listeners.clear()
    },
  }
  return new Verbs(getReference, verbs) as Verbs & typeof verbs
}

/** A getter on the prototype: on an object literal it would cost each runner a kilobyte. */
class Verbs {
  readonly #getReference: () => TaskReference | null

  constructor(getReference: () => TaskReference | null, verbs: object) {
    this.#getReference = getReference
    Object.assign(this, verbs)
  }

  get reference(): TaskReference | null {
    return this.#getReference()
  }
}
