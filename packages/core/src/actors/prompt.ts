import { fromCallback } from 'xstate'
import type { TaskContext } from '../machine/context.ts'
import type { Runtime, RuntimeOf } from '../machine/runtime.ts'
import { expected } from '../options.ts'
import type { InputRequest } from '../view.ts'
import { isObject } from '../wire/json.ts'
import { readFailure } from '../wire/failure.ts'
import { machineOf } from './parent.ts'

/** Brings open prompts to the caller's `onInputRequired`, each once; with `wait`, people answer through the runner. */
export function prompt(runtimeOf: RuntimeOf) {
  return fromCallback(({ sendBack, self }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    const answer = runtime.settings.onInputRequired
    if (answer === undefined || answer === 'wait') return undefined
    let stopped = false

    /** An answer outlives the state in which it was asked for: a call may have become a task meanwhile. */
    const send = (epoch: number, event: { type: string }) => {
      const { status, context } = machine.getSnapshot()
      if (status === 'active' && context.epoch === epoch) machine.send(event)
    }
    const ask = () => {
      const { context } = machine.getSnapshot()
      const { epoch, resting } = context
      // Of several pages the one that is looked at asks; the others do when their turn comes, if it is still open then.
      if (resting.includes('hidden')) return
      for (const [key, request] of Object.entries(context.inputRequests)) {
        if (stopped || !isNew(runtime, context, request)) continue
        // Once: a server that will not cancel is not asked again for each prompt.
        if (answer === 'cancel') return context.refusedInput ? undefined : sendBack({ type: 'prompt.refused' })
        Promise.resolve()
          .then(() => answer(request))
          .then((given) => {
            expected(isObject(given), '`onInputRequired` to give an answer such as { action: "accept", content }')
            send(epoch, { type: 'respond', answers: Object.fromEntries([[key, given]]) } as { type: string })
          })
          .catch((error: unknown) =>
            send(epoch, {
              type: 'prompt.failed',
              failure: { ...readFailure(error), kind: 'input-required', retryable: false },
            } as { type: string }),
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

/** Notes a prompt. The keys of the call's own rounds and those of its task are different ones (MRTR-4). */
function isNew(runtime: Runtime, { epoch, rounds, task }: TaskContext, request: InputRequest): boolean {
  if (runtime.asked.epoch !== epoch) runtime.asked = { epoch, prompts: new Set() }
  const { prompts } = runtime.asked
  const name = `${task ? 'task' : rounds}:${request.key}`
  if (prompts.has(request) || prompts.has(name)) return false
  prompts.add(request).add(name)
  return true
}
