import { getCurrentInstance, onMounted, shallowRef, triggerRef, watchPostEffect, type ShallowRef } from 'vue'

/**
 * Runs an effect once its component is there to stay, which on a server it never is; outside of components at once. (A post effect alone is no
 * substitute: some versions of Vue run it while rendering on a server.)
 *
 * @param effect returns how to stop
 * @returns what is triggered by the `update` that the effect is given
 */
export function follow(effect: (update: () => void) => () => void): Readonly<ShallowRef<unknown>> {
  const changed = shallowRef()
  const start = () => watchPostEffect((onCleanup) => onCleanup(effect(() => triggerRef(changed))))
  if (getCurrentInstance()) onMounted(start)
  else start()
  return changed
}
