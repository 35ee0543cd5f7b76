import { keepFocus } from '@mcp-task-machine/example-ui'
import { onMounted, onUnmounted, toValue, useTemplateRef, watch, type MaybeRefOrGetter } from 'vue'

/**
 * Keeps the keyboard's place in a run: into a prompt when it opens, and back when it has gone. The component's template has refs named
 * `panel` and `heading`.
 */
export function usePanelFocus(phase: MaybeRefOrGetter<string>, isAsking: MaybeRefOrGetter<boolean>): void {
  const panel = useTemplateRef<HTMLElement>('panel')
  const heading = useTemplateRef<HTMLElement>('heading')
  onMounted(() => {
    const keeper = keepFocus(panel.value!)
    onUnmounted(keeper.stop)
    watch(
      [() => toValue(isAsking), () => toValue(phase)],
      ([asks]) => {
        const prompt = asks && panel.value!.querySelector<HTMLElement>('.prompt')
        if (prompt) keeper.enter(prompt)
        else keeper.settle(heading.value!)
      },
      { immediate: true, flush: 'post' },
    )
  })
}
