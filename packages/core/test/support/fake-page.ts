import { vi } from 'vitest'

/** The parts of a browser that tell whether reading is of use; undone by `vi.unstubAllGlobals()`. */
export function stubPage() {
  const [events, document] = [new CountedTarget(), new CountedTarget()]
  const navigator = { onLine: true }
  Object.assign(document, { visibilityState: 'visible' })
  vi.stubGlobal('navigator', navigator)
  vi.stubGlobal('document', document)
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  return {
    get listeners() {
      return events.listeners + document.listeners
    },
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
      Object.assign(document, { visibilityState: visible ? 'visible' : 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    },
  }
}

class CountedTarget extends EventTarget {
  listeners = 0

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>) {
    this.listeners++
    super.addEventListener(...args)
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>) {
    this.listeners--
    super.removeEventListener(...args)
  }
}
