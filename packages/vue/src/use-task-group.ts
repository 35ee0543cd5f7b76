import {
  createGroupVerbs,
  groupFields,
  placeInGroup,
  type GroupSlot,
  type TaskGroupVerbs,
  type TaskGroupView,
  type UseTaskGroupOptions,
} from '@mcp-task-machine/core'
import type { ComputedRef, MaybeRefOrGetter, ShallowRef } from 'vue'
import { usePlace } from './use-place.ts'

/** What `useTaskGroup` gives: what the members show together, as a whole and each field as a ref of its own, and the group's verbs. */
export interface TaskGroup extends TaskGroupVerbs {
  readonly view: Readonly<ShallowRef<TaskGroupView>>
  readonly views: ComputedRef<TaskGroupView['views']>
  readonly counts: ComputedRef<TaskGroupView['counts']>
  readonly percent: ComputedRef<TaskGroupView['percent']>
}

/**
 * Many tool calls as one, for the life of the component or effect scope, whose end lets them go without cancelling them. Setting it up sends
 * nothing. Options may be a ref or a getter; verbs and refs stay the same whatever they become.
 *
 * @example
 * const { fire, views, percent } = useTaskGroup({ maxConcurrent: 4 })
 * @throws TypeError without a connection, or if an option is not what it should be
 */
export function useTaskGroup(options: MaybeRefOrGetter<UseTaskGroupOptions> = {}): TaskGroup {
  const { place, view, refs } = usePlace<TaskGroupView, UseTaskGroupOptions, GroupSlot>(
    'useTaskGroup',
    options,
    placeInGroup,
  )
  return { ...refs(groupFields), ...createGroupVerbs(() => place.value.verbs), view }
}
