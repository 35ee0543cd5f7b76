import type { TaskRunner, TaskView } from '@mcp-task-machine/core'
import { computed, toRaw, toValue, type MaybeRefOrGetter, type ShallowRef } from 'vue'
import { follow } from './follow.ts'

/**
 * Follows a runner that you already have, or what a selector picks of its view: a ref that changes only when that is another value (`Object.is`).
 *
 * @example
 * const percent = useTaskView(runner, (view) => view.progress?.percent)
 */
export function useTaskView<Output, Selected = TaskView<Output>>(
  runner: MaybeRefOrGetter<Pick<TaskRunner<never, Output>, 'subscribe' | 'getSnapshot' | 'getInitialSnapshot'>>,
  selector: (view: TaskView<Output>) => Selected = (view) => view as Selected,
): Readonly<ShallowRef<Selected>> {
  const changed = follow((update) => {
    update()
    return toRaw(toValue(runner)).subscribe(update)
  })
  const view = computed(() => (void changed.value, toRaw(toValue(runner)).getSnapshot()))
  return computed(() => selector(view.value))
}
