import {
  createVerbs,
  idleView,
  TaskSlot,
  type JsonObject,
  type TaskRunner,
  type TaskVerbs,
  type TaskView,
  type UseTaskOptions,
} from '@mcp-task-machine/core'
import { untrack } from 'svelte'
import { findTaskContext, read, type MaybeGetter } from './task-context.ts'

/** What `useTask` gives: a getter for each field of the view, and the runner's verbs. */
export interface Task<Input = JsonObject, Output = unknown> extends TaskView<Output>, TaskVerbs<Input, Output> {
  /** The view as a whole. */
  readonly current: TaskView<Output>
  /** The runner behind it: for `useTaskView`, `result()` and `reference`. */
  readonly runner: TaskRunner<Input, Output>
}

/**
 * A tool call for the life of the component or effect root, or shared by `key`. Setting it up sends nothing; `fire` does. Tool and options may
 * be functions, for where they change; the verbs stay the same whatever they become.
 *
 * @example
 * const task = useTask<{ query: string }, Report>('start_research')
 * @throws TypeError without a connection, or if the key is in use for another tool
 */
export function useTask<Input = JsonObject, Output = unknown>(
  tool: MaybeGetter<string>,
  options: MaybeGetter<UseTaskOptions<Output>> = {},
): Task<Input, Output> {
  const context = findTaskContext('useTask', () => read(options).connection)
  let changes = $state(0)
  const update = () => untrack(() => void changes++)

  let held: TaskSlot<Input, Output> | undefined
  const slot = $derived.by(() => {
    const { connection, inspect } = context()
    const [name, settings] = [read(tool), read(options)]
    if (!held?.fits(connection, name, settings.key))
      held = new TaskSlot<Input, Output>(connection, name, inspect ? { inspect, ...settings } : settings)
    return held
  })
  const runner = $derived((void changes, slot.getRunner()))
  const view = $derived((void changes, runner.getSnapshot()))

  // Effects: never on a server, and only for what is there to stay.
  $effect(() => {
    slot.options = read(options)
    slot.connect(context().connection)
  })
  $effect(() => {
    const { watch } = slot
    return untrack(() => watch(update))
  })

  const task = {
    ...createVerbs(() => untrack(() => runner)),
    get current() {
      return view
    },
    get runner() {
      return runner
    },
  }
  for (const name of Object.keys(idleView) as (keyof TaskView)[])
    Object.defineProperty(task, name, { enumerable: true, get: () => view[name] })
  return task as typeof task & TaskView<Output>
}
