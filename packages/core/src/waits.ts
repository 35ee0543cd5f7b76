import type { Actor, SnapshotFrom } from 'xstate'
import { TaskError } from './errors.ts'
import type { buildMachine } from './machine/machine.ts'
import { toTaskView } from './machine/to-view.ts'
import type { Task, ToolResult } from './task.ts'
import type { TaskView } from './view.ts'

export type TaskActor = Actor<ReturnType<typeof buildMachine>>
type Snapshot = SnapshotFrom<TaskActor['logic']>

interface Wait {
  readonly epoch: number
  /** Counts as a subscriber. */
  readonly watches: boolean
  /** Looks at the run; `true` = this wait is over. */
  look(snapshot: Snapshot): boolean
  fail(reason: unknown): void
}

const superseded = () =>
  new TaskError({ kind: 'superseded', message: 'The run was replaced, reset or disposed before it had an outcome.' })

/** The promises that a runner has given out. While one for the result is pending, the run is watched. */
export function createWaits<Output>(actor: TaskActor, onSize: () => void) {
  const waits = new Set<Wait>()

  /** How the last runs ended, for handles that outlive them (a queued call may follow at once). */
  const ends = new Map<number, TaskView<Output>>()
  const noteEnd = (snapshot: Snapshot) => {
    const { epoch } = snapshot.context
    const view = toTaskView<Output>(snapshot)
    if (!view.isTerminal) return void ends.delete(epoch)
    ends.set(epoch, view)
    if (ends.size > 4) ends.delete(ends.keys().next().value!)
  }

  const look = () => {
    const snapshot = actor.getSnapshot()
    noteEnd(snapshot)
    for (const wait of [...waits]) {
      const { epoch, queue } = snapshot.context
      // An older epoch is over; one that is still to come stands in the queue.
      if (wait.epoch < epoch || wait.epoch > epoch + queue.length) wait.fail(superseded())
      else if (wait.epoch > epoch || !wait.look(snapshot)) continue
      waits.delete(wait)
    }
    onSize()
  }

  function start<Value>(
    epoch: number,
    signal: AbortSignal | undefined,
    judge: (snapshot: Snapshot, resolve: (value: Value) => void, reject: (reason: unknown) => void) => void,
    watches = false,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      let over = false
      const finish =
        <Given>(settle: (given: Given) => void) =>
        (given: Given) => {
          over = true
          signal?.removeEventListener('abort', abort)
          settle(given)
        }
      const wait: Wait = {
        epoch,
        watches,
        look(snapshot) {
          judge(snapshot, finish(resolve), finish(reject))
          return over
        },
        fail: finish(reject),
      }
      const abort = () => {
        wait.fail(signal?.reason)
        waits.delete(wait)
        onSize()
      }
      signal?.addEventListener('abort', abort)
      waits.add(wait)
      afterwards(wait)
    })
  }

  /** Looks at once, so that what is settled already is not waited for. */
  function afterwards(wait: Wait) {
    const snapshot = actor.getSnapshot()
    if (wait.epoch === snapshot.context.epoch && wait.look(snapshot)) waits.delete(wait)
    onSize()
  }

  return {
    /** Settles what the machine's new snapshot settles. */
    look,
    /** How many of them count as subscribers. */
    watching: () => [...waits].filter((wait) => wait.watches).length,
    /** Resolves when the server has answered the create call of that run; rejects if the call failed. */
    answered(epoch: number, signal?: AbortSignal): Promise<Task> {
      return start<Task>(epoch, signal, (snapshot, resolve, reject) => {
        const { phase, error, task, isTerminal } = toTaskView(snapshot)
        if (task !== null) resolve(task)
        else if (isTerminal || phase === 'detached') reject(error ?? superseded())
      })
    },
    /** Resolves or rejects with the outcome of that run. */
    result(epoch: number, signal?: AbortSignal): Promise<ToolResult<Output>> {
      const end = ends.get(epoch)
      if (end) return end.phase === 'completed' ? Promise.resolve(end.result!) : Promise.reject(end.error)
      return start<ToolResult<Output>>(
        epoch,
        signal,
        (snapshot, resolve, reject) => {
          const { phase, result, error, isTerminal, isIdle } = toTaskView<Output>(snapshot)
          if (phase === 'completed') resolve(result!)
          else if (isTerminal || phase === 'detached') reject(error)
          else if (isIdle) reject(superseded())
        },
        true,
      )
    },
    /** Resolves when the condition holds, or the run has ended, is in trouble or is over. */
    until(condition: (snapshot: Snapshot) => boolean): Promise<void> {
      return start<void>(actor.getSnapshot().context.epoch, undefined, (snapshot, resolve) => {
        const { isWorking } = toTaskView(snapshot)
        if (!isWorking || condition(snapshot)) resolve()
      }).catch(() => {})
    },
    dispose() {
      for (const wait of waits) wait.fail(superseded())
      waits.clear()
    },
  }
}
export type Waits<Output> = ReturnType<typeof createWaits<Output>>
