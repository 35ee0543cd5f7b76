'use client'

import type { TaskRunner, TaskView } from '@mcp-task-machine/core'
import { useMemo, useSyncExternalStore } from 'react'

/**
 * Follows a runner that you already have. With a selector, the component renders only when what it gives is another value (`Object.is`).
 *
 * @example
 * const percent = useTaskView(runner, (view) => view.progress?.percent)
 */
export function useTaskView<Output, Selected = TaskView<Output>>(
  runner: Pick<TaskRunner<never, Output>, 'subscribe' | 'getSnapshot' | 'getInitialSnapshot'>,
  selector?: (view: TaskView<Output>) => Selected,
): Selected {
  const select = useMemo(() => once(selector ?? ((view) => view as Selected)), [selector])
  return useSyncExternalStore(
    runner.subscribe,
    () => select(runner.getSnapshot()),
    () => select(runner.getInitialSnapshot()),
  )
}

/** Selects once per view: React asks more than once, and would take two equal objects for a change. */
function once<Output, Selected>(selector: (view: TaskView<Output>) => Selected) {
  let seen: TaskView<Output> | undefined
  let selected: Selected
  return (view: TaskView<Output>): Selected => {
    if (view !== seen) selected = selector(view)
    seen = view
    return selected
  }
}
