import type { RestReason } from '../view.ts'

/** The parts of a page that tell whether reading is of use now; a worker or Node has none of them. */
const page = globalThis as {
  document?: Document
  navigator?: { onLine?: boolean }
  addEventListener?: typeof addEventListener
  removeEventListener?: typeof removeEventListener
}

/** Why reading should rest now: `hidden` only unless in the background, `offline` if the browser says so. */
export function surroundings(background: boolean): readonly RestReason[] {
  const reasons: RestReason[] = []
  if (page.navigator?.onLine === false) reasons.push('offline')
  if (!background && page.document?.visibilityState === 'hidden') reasons.push('hidden')
  return reasons
}

/** Calls back when that may have changed. @returns how to stop */
export function onSurroundings(listener: () => void): () => void {
  const { document } = page
  document?.addEventListener('visibilitychange', listener)
  page.addEventListener?.('online', listener)
  page.addEventListener?.('offline', listener)
  return () => {
    document?.removeEventListener('visibilitychange', listener)
    page.removeEventListener?.('online', listener)
    page.removeEventListener?.('offline', listener)
  }
}
