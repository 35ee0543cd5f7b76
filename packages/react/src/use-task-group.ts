'use client'

import { placeInGroup, type TaskGroupVerbs, type TaskGroupView, type UseTaskGroupOptions } from '@mcp-task-machine/core'
import { useEffect, useInsertionEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useTaskContext } from './task-context.ts'

/** What `useTaskGroup` gives: what the members show together, and the group's verbs. */
export interface TaskGroup extends TaskGroupView, TaskGroupVerbs {}

/**
 * Many tool calls as one, for the life of the component; unmounting lets them go without cancelling them. Rendering sends nothing. The object it
 * gives stays the same until something visible changes, and its verbs for as long as the endpoint does.
 *
 * @example
 * const { fire, views, percent } = useTaskGroup({ maxConcurrent: 4 })
 * @throws TypeError without a connection, or if an option is not what it should be
 */
export function useTaskGroup(options: UseTaskGroupOptions = {}): TaskGroup {
  const context = useTaskContext('useTaskGroup', options.connection)
  const { connection } = context
  const [kept, keep] = useState(() => placeInGroup(undefined, context, options))
  const slot = placeInGroup(kept, context, options)
  if (slot !== kept) keep(slot)

  // Only what is there to stay may be changed by what it was given last.
  useInsertionEffect(() => {
    slot.options = options
  })
  // Of all effects only this kind is left once, for good: not in Strict Mode, and not by what is merely hidden.
  useInsertionEffect(slot.enter, [slot])
  useEffect(() => slot.connect(connection), [slot, connection])

  const view = useSyncExternalStore(slot.subscribe, slot.getSnapshot, slot.getInitialView)
  return useMemo(() => ({ ...view, ...slot.verbs }), [view, slot])
}
