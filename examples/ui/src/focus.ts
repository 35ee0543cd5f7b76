/** Keeps the keyboard's place in a panel whose parts come and go. */
export interface FocusKeeper {
  /** A part that wants an answer has opened. Somebody who is busy elsewhere on the page is left there; at the heading of its group nobody is. */
  enter(part: HTMLElement): void
  /** Parts have gone: where the focus went with them, it comes back to where it was before, else to `otherwise`. */
  settle(otherwise: HTMLElement): void
  stop(): void
}

/** Watches where the focus is in `panel`, until it is stopped. */
export function keepFocus(panel: HTMLElement): FocusKeeper {
  const { body } = document
  let isWithin = panel.contains(document.activeElement)
  let before: HTMLElement | null = null

  const onFocusIn = () => {
    isWithin = true
  }
  const onFocusOut = ({ target }: FocusEvent) => {
    // An element that was removed takes the focus with it: that is not leaving.
    queueMicrotask(() => {
      if ((target as Node).isConnected && !panel.contains(document.activeElement)) isWithin = false
    })
  }
  panel.addEventListener('focusin', onFocusIn)
  panel.addEventListener('focusout', onFocusOut)

  return {
    enter(part) {
      const { activeElement } = document
      const isAtHeading = panel.closest('.trip')?.querySelector('h2') === activeElement
      if (!panel.contains(activeElement) && activeElement !== body && !isAtHeading) return
      before = activeElement === body || isAtHeading ? null : (activeElement as HTMLElement)
      part.focus()
    },
    settle(otherwise) {
      if (!isWithin || document.activeElement !== body) return
      const back = before?.isConnected ? before : otherwise
      before = null
      back.focus({ preventScroll: true })
    },
    stop() {
      panel.removeEventListener('focusin', onFocusIn)
      panel.removeEventListener('focusout', onFocusOut)
    },
  }
}
