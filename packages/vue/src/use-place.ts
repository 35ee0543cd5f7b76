import type { Place, Surroundings, TaskConnection } from '@mcp-task-machine/core'
import {
  computed,
  getCurrentInstance,
  onActivated,
  onDeactivated,
  shallowRef,
  toValue,
  type ComputedRef,
  type MaybeRefOrGetter,
} from 'vue'
import { follow } from './follow.ts'
import { useTaskContext } from './task-context.ts'

interface Settings {
  readonly connection?: TaskConnection | undefined
  readonly onUnmount?: string
}

/** A component's place at a task or a group, which `find` gives: the one that is held, if it fits. */
export function usePlace<View extends object, Options extends Settings, Found extends Place<View, Options>>(
  composable: string,
  options: MaybeRefOrGetter<Options>,
  find: (held: Found | undefined, surroundings: Surroundings, settings: Options) => Found,
) {
  const context = useTaskContext(composable, () => toValue(options).connection)
  // Held outside: on a server, a computed ref is computed each time.
  let held: Found | undefined
  const place = computed(() => (held = find(held, context(), toValue(options))))

  const instance = getCurrentInstance()
  // A vnode that has its element before it is mounted is being hydrated: that begins with what the server rendered.
  let isHydrating: unknown = instance?.vnode.el
  const isPutAway = shallowRef(false)
  if (instance) {
    onActivated(() => (isPutAway.value = false))
    onDeactivated(() => (isPutAway.value = toValue(options).onUnmount !== 'cancel'))
  }

  follow(() => {
    isHydrating = false
    place.value.options = toValue(options)
    place.value.connect(context().connection)
    return () => {}
  })
  // What <KeepAlive> has put away is not looked at.
  const changed = follow((update) => (isPutAway.value ? place.value.enter(update) : place.value.watch(update)))

  const of = <Value>(get: (found: Found) => Value) => computed(() => (void changed.value, get(place.value)))
  const view = of((found) => (isHydrating ? found.getInitialView() : found.getSnapshot()))
  const refs = (names: readonly (keyof View)[]) =>
    Object.fromEntries(names.map((name) => [name, computed(() => view.value[name])])) as {
      readonly [Field in keyof View]: ComputedRef<View[Field]>
    }
  return { place, of, view, refs }
}
