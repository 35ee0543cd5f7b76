import { fromPromise } from 'xstate'
import { activeProtocol, type RuntimeOf } from '../machine/runtime.ts'
import { inTime } from './in-time.ts'
import { machineOf } from './parent.ts'
import { repeated } from './settle.ts'
import { withRetry } from './with-retry.ts'

/** Hands the answers over that are not sent yet; repeated with the same body, and nobody is asked twice (EXT-INPUT-13). */
export function respond(runtimeOf: RuntimeOf) {
  const once = fromPromise<{ keys: readonly string[] }>(async ({ self, signal }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    const { context } = machine.getSnapshot()
    const unsent = Object.entries(context.answered).filter(([, { sent }]) => !sent)
    const answers = Object.fromEntries(unsent.map(([key, { answer }]) => [key, answer]))
    const protocol = activeProtocol(runtime, context.protocol)
    await inTime(runtime, signal, (options) =>
      protocol.update(runtime.connection, context.task!.taskId!, answers, options),
    )
    return { keys: Object.keys(answers) }
  })
  return withRetry(once, (self) => repeated(runtimeOf, machineOf(self)))
}
