import { fromPromise } from 'xstate'
import { hubOf } from '../connection/hub.ts'
import { activeProtocol, type RuntimeOf } from '../machine/runtime.ts'
import type { News } from '../wire/news.ts'
import { inTime } from './in-time.ts'
import { machineOf } from './parent.ts'
import { repeated } from './settle.ts'
import { withRetry } from './with-retry.ts'

/** Asks the server to stop the task. It is sent even if this actor is stopped at once: the wish was spoken. */
export function cancel(runtimeOf: RuntimeOf) {
  const once = fromPromise<News>(({ self, signal }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    const { context } = machine.getSnapshot()
    // Back from trouble: the server has heard it, and what became of it is told by a read.
    if (context.cancelHeard) return Promise.resolve({})
    const protocol = activeProtocol(runtime, context.protocol)
    const taskId = context.task!.taskId!
    return inTime(runtime, signal, (options) => protocol.cancel(runtime.connection, taskId, options)).then((news) => {
      hubOf(runtime.connection).find(taskId)?.tell({ type: 'cancelled' })
      return news
    })
  })
  return withRetry(once, (self) => {
    const machine = machineOf(self)
    return repeated(runtimeOf, machine, { onFailure: () => machine.send({ type: 'cancel.unanswered' }) })
  })
}
