import {
  createGroupVerbs,
  groupFields,
  placeInGroup,
  type GroupSlot,
  type TaskGroupVerbs,
  type TaskGroupView,
  type UseTaskGroupOptions,
} from '@mcp-task-machine/core'
import { untrack } from 'svelte'
import type { MaybeGetter } from './task-context.ts'
import { usePlace } from './use-place.svelte.ts'

/** What `useTaskGroup` gives: a getter for each thing that the members show together, and the group's verbs. */
export interface TaskGroup extends TaskGroupView, TaskGroupVerbs {
  /** What they show as a whole. */
  readonly current: TaskGroupView
}

/**
 * Many tool calls as one, for the life of the component or effect root, whose end lets them go without cancelling them. Setting it up sends
 * nothing. Options may be a function, for where they change; the verbs stay the same whatever they become.
 *
 * @example
 * const group = useTaskGroup({ maxConcurrent: 4 })
 * @throws TypeError without a connection, or if an option is not what it should be
 */
export function useTaskGroup(options: MaybeGetter<UseTaskGroupOptions> = {}): TaskGroup {
  const place = usePlace<TaskGroupView, UseTaskGroupOptions, GroupSlot>('useTaskGroup', options, placeInGroup)
  const current = place.of(({ verbs }) => verbs)
  const verbs = createGroupVerbs(() => untrack(current))
  return place.show(verbs, groupFields)
}
