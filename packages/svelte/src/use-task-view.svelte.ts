import type { TaskRunner, TaskView } from '@mcp-task-machine/core'
import { createSubscriber } from 'svelte/reactivity'
import { read, type MaybeGetter } from './task-context.ts'

/**
 * Follows a runner that you already have, while something reads `current`: its view, or what a selector picks of it. Then it changes only when
 * that is another value.
 *
 * @example
 * const percent = useTaskView(runner, (view) => view.progress?.percent)
 */
export function useTaskView<Output, Selected = TaskView<Output>>(
  runner: MaybeGetter<Pick<TaskRunner<never, Output>, 'subscribe' | 'getSnapshot' | 'getInitialSnapshot'>>,
  selector: (view: TaskView<Output>) => Selected = (view) => view as Selected,
): { readonly current: Selected } {
  const followed = $derived.by(() => {
    const now = read(runner)
    const track = createSubscriber((update) => now.subscribe(update))
    return () => {
      track()
      return now.getSnapshot()
    }
  })
  const view = $derived(followed())
  const selected = $derived(selector(view))
  return {
    get current() {
      // Nobody would end what is followed for a look in passing.
      return $effect.tracking() ? selected : selector(read(runner).getSnapshot())
    },
  }
}
