import {
  createVerbs,
  placeAtTask,
  viewFields,
  type JsonObject,
  type TaskRunner,
  type TaskSlot,
  type TaskVerbs,
  type TaskView,
  type UseTaskOptions,
} from '@mcp-task-machine/core'
import { untrack } from 'svelte'
import { read, type MaybeGetter } from './task-context.ts'
import { usePlace } from './use-place.svelte.ts'

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
  const place = usePlace<TaskView<Output>, UseTaskOptions<Output>, TaskSlot<Input, Output>>(
    'useTask',
    options,
    (held, surroundings, settings) => placeAtTask(held, surroundings, read(tool), settings),
  )
  const runner = place.of((found) => found.getRunner())
  const task = {
    ...createVerbs(() => untrack(runner)),
    get runner() {
      return runner()
    },
  }
  return place.show(task, viewFields)
}
