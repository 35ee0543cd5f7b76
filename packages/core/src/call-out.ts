/** Calls code of the caller's. If it throws, that is reported like an error in an event listener, and nothing of ours breaks. */
export function callOut<Argument>(callback: ((argument: Argument) => void) | undefined, argument: Argument): void {
  try {
    callback?.(argument)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
