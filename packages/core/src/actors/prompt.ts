import { fromCallback } from 'xstate'
import type { RuntimeOf } from '../machine/runtime.ts'
import { expected } from '../options.ts'
import { isObject } from '../wire/json.ts'
import { readFailure } from '../wire/failure.ts'
import { machineOf } from './parent.ts'

/** Brings open prompts to the caller's `onInputRequired`, each once; with `wait`, people answer through the runner. */
export function prompt(runtimeOf: RuntimeOf) {
  return fromCallback(({ sendBack, self }) => {
    const machine = machineOf(self)
    const answer = runtimeOf(machine).settings.onInputRequired
    if (answer === undefined || answer === 'wait') return undefined
    const asked = new Set<string>()
    let stopped = false
    const ask = () => {
      const { context } = machine.getSnapshot()
      for (const [key, request] of Object.entries(context.inputRequests)) {
        if (stopped || asked.has(key)) continue
        asked.add(key)
        // Once: a server that will not cancel is not asked again for each prompt.
        if (answer === 'cancel') return context.refusedInput ? undefined : sendBack({ type: 'prompt.refused' })
        Promise.resolve()
          .then(() => answer(request))
          .then((given) => {
            expected(isObject(given), '`onInputRequired` to give an answer such as { action: "accept", content }')
            if (!stopped) sendBack({ type: 'respond', answers: Object.fromEntries([[key, given]]) })
          })
          .catch(
            (error: unknown) =>
              !stopped &&
              sendBack({
                type: 'prompt.failed',
                failure: { ...readFailure(error), kind: 'input-required', retryable: false },
              }),
          )
      }
    }
    const subscription = machine.subscribe(ask)
    ask()
    return () => {
      stopped = true
      subscription.unsubscribe()
    }
  })
}
