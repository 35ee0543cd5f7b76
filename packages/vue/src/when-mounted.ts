import { getCurrentInstance, onMounted } from 'vue'

/**
 * Starts effects once their component is there to stay, which on a server it never is; outside of components at once. (A post effect is no
 * substitute: some versions of Vue run it while rendering on a server.)
 */
export function whenMounted(start: () => void): void {
  if (getCurrentInstance()) onMounted(start)
  else start()
}
