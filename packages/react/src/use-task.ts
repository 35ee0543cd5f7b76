'use client'

import {
  createVerbs,
  placeAtTask,
  type JsonObject,
  type TaskRunner,
  type TaskVerbs,
  type TaskView,
  type UseTaskOptions,
} from '@mcp-task-machine/core'
import { useEffect, useInsertionEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useTaskContext } from './task-context.ts'

/** What `useTask` gives: the view's fields and the runner's verbs. */
export interface Task<Input = JsonObject, Output = unknown> extends TaskView<Output>, TaskVerbs<Input, Output> {
  /** The runner behind it: for `useTaskView`, `result()` and `reference`. */
  readonly runner: TaskRunner<Input, Output>
}

/**
 * A tool call for the life of the component, or shared by `key`. Rendering sends nothing; `fire` does. The object it gives stays the same
 * until something visible changes, and its verbs for as long as tool, key and endpoint do.
 *
 * @example
 * const { fire, phase, result, cancel } = useTask<{ query: string }, Report>('start_research')
 * @throws TypeError without a connection, or if the key is in use for another tool
 */
export function useTask<Input = JsonObject, Output = unknown>(
  tool: string,
  options: UseTaskOptions<Output> = {},
): Task<Input, Output> {
  const context = useTaskContext('useTask', options.connection)
  const { connection } = context
  const [kept, keep] = useState(() => placeAtTask<Input, Output>(undefined, context, tool, options))
  const slot = placeAtTask(kept, context, tool, options)
  if (slot !== kept) keep(slot)

  // Only what is there to stay may be changed by what it was given last.
  useInsertionEffect(() => {
    slot.options = options
  })
  useEffect(() => slot.connect(connection), [slot, connection])

  const runner = useSyncExternalStore(slot.enter, slot.getRunner, slot.getRunner)
  const view = useSyncExternalStore(runner.subscribe, runner.getSnapshot, slot.getInitialView)
  const verbs = useMemo(() => createVerbs(slot.getRunner), [slot])
  return useMemo(() => ({ ...view, ...verbs, runner }), [view, verbs, runner])
}
