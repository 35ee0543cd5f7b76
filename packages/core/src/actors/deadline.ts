import { fromCallback } from 'xstate'
import { hubOf } from '../connection/hub.ts'
import type { Job } from '../connection/scheduler.ts'
import type { Deadlines } from '../machine/context.ts'
import type { RuntimeOf } from '../machine/runtime.ts'
import { machineOf } from './parent.ts'

/** Wakes the chart at the absolute times it remembers. No `after` in the chart: it would not be armed again on restore (P60). */
export function deadline(runtimeOf: RuntimeOf) {
  return fromCallback(({ sendBack, self }) => {
    const machine = machineOf(self)
    const runtime = runtimeOf(machine)
    let { scheduler } = hubOf(runtime.connection)
    /** Deadlines that were told, by value: each is told once. */
    const told: Partial<Record<keyof Deadlines, number>> = {}

    const next = () => {
      const { deadlines, resting } = machine.getSnapshot().context
      // Nobody waits for a run that nobody looks at; and what a lifetime means is told by a read.
      if (resting.some((reason) => reason === 'asked' || reason === 'unmounted')) return undefined
      const reads = resting.length === 0
      const open = (Object.entries(deadlines) as [keyof Deadlines, number | null][]).filter(
        ([name, at]) => at !== null && told[name] !== at && (reads || name !== 'ttl'),
      )
      return open.toSorted(([, a], [, b]) => a! - b!)[0] as [keyof Deadlines, number] | undefined
    }
    const job: Job = {
      run() {
        const due = next()
        if (!due) return
        const [name, at] = due
        told[name] = at
        arm()
        sendBack({ type: `deadline.${name}`, isUnsent: runtime.submission?.isUnsent === true })
      },
    }
    const arm = () => {
      const due = next()
      if (!due) scheduler.drop(job)
      else if (job.position === undefined || job.due !== due[1]) scheduler.at(due[1], job)
    }

    // A create call of another process: whether it was answered can't be known here.
    if (machine.getSnapshot().matches('submitting') && runtime.owned !== machine.getSnapshot().context.epoch)
      sendBack({ type: 'submit.lost' })
    const subscription = machine.subscribe(() => {
      const current = hubOf(runtime.connection).scheduler
      if (current !== scheduler) {
        scheduler.drop(job)
        scheduler = current
      }
      arm()
    })
    arm()
    return () => {
      subscription.unsubscribe()
      scheduler.drop(job)
    }
  })
}
