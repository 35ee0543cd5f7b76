import { fromPromise } from 'xstate'
import { hubOf } from '../connection/hub.ts'
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
    const taskId = context.task!.taskId!
    const reader = hubOf(runtime.connection).find(taskId)
    // What the server asked in a request of its own is answered there.
    const rest = unsent.filter(([key, { answer }]) => !reader?.answer(key, answer))
    const answers = Object.fromEntries(rest.map(([key, { answer }]) => [key, answer]))
    const protocol = activeProtocol(runtime, context.protocol)
    if (rest.length > 0)
      await inTime(runtime, signal, (options) => protocol.update(runtime.connection, taskId, answers, options))
    const keys = unsent.map(([key]) => key)
    reader?.tell({ type: 'answered', keys })
    return { keys }
  })
  return withRetry(once, (self) => repeated(runtimeOf, machineOf(self)))
}
