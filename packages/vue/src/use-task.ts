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
import { toValue, type ComputedRef, type MaybeRefOrGetter, type ShallowRef } from 'vue'
import { usePlace } from './use-place.ts'

type ViewRefs<Output> = { readonly [Field in keyof TaskView<Output>]: ComputedRef<TaskView<Output>[Field]> }

/** What `useTask` gives: the view, each of its fields as a ref of its own, and the runner's verbs. */
export interface Task<Input = JsonObject, Output = unknown> extends ViewRefs<Output>, TaskVerbs<Input, Output> {
  readonly view: Readonly<ShallowRef<TaskView<Output>>>
  /** The runner behind it: for `useTaskView`, `result()` and `reference`. */
  readonly runner: ComputedRef<TaskRunner<Input, Output>>
}

/**
 * A tool call for the life of the component or effect scope, or shared by `key`. Setting it up sends nothing; `fire` does. Tool and options may
 * be refs or getters; verbs and refs stay the same whatever they become.
 *
 * @example
 * const { fire, phase, result, cancel } = useTask<{ query: string }, Report>('start_research')
 * @throws TypeError without a connection, or if the key is in use for another tool
 */
export function useTask<Input = JsonObject, Output = unknown>(
  tool: MaybeRefOrGetter<string>,
  options: MaybeRefOrGetter<UseTaskOptions<Output>> = {},
): Task<Input, Output> {
  const { of, view, refs } = usePlace<TaskView<Output>, UseTaskOptions<Output>, TaskSlot<Input, Output>>(
    'useTask',
    options,
    (held, surroundings, settings) => placeAtTask(held, surroundings, toValue(tool), settings),
  )
  const runner = of((slot) => slot.getRunner())
  return { ...refs(viewFields), ...createVerbs(() => runner.value), view, runner }
}
