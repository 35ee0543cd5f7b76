import { vi } from 'vitest'

/** The parts of a browser that tell whether reading is of use; undone by `vi.unstubAllGlobals()`. */
export function stubPage() {
  const events = new EventTarget()
  const navigator = { onLine: true }
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('navigator', navigator)
  vi.stubGlobal('document', document)
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  return {
    goOffline() {
      navigator.onLine = false
      events.dispatchEvent(new Event('offline'))
    },
    goOnline() {
      navigator.onLine = true
      events.dispatchEvent(new Event('online'))
    },
    leave() {
      events.dispatchEvent(new Event('pagehide'))
    },
    setVisible(visible: boolean) {
      document.visibilityState = visible ? 'visible' : 'hidden'
      document.dispatchEvent(new Event('visibilitychange'))
    },
  }
}
