import { attempt } from '../connection/attempt.ts'
import { hubOf } from '../connection/hub.ts'
import type { Job } from '../connection/scheduler.ts'
import type { Runtime } from '../machine/runtime.ts'
import { noAnswer } from '../wire/failure.ts'

/** Sends one request at once and gives it `requestTimeout` ms, also where the transport would wait longer. The signal ends the waiting, not the request. */
export function inTime<Value>(
  { settings, connection }: Runtime,
  signal: AbortSignal,
  send: (options: { timeout: number }) => Promise<Value>,
): Promise<Value> {
  const { scheduler } = hubOf(connection)
  const timeout = settings.requestTimeout
  return new Promise((resolve, reject) => {
    const job: Job = { run: () => reject(noAnswer) }
    const stop = () => scheduler.drop(job)
    scheduler.at(connection.clock.now() + timeout, job)
    signal.addEventListener('abort', stop)
    attempt(() => send({ timeout }))
      .finally(stop)
      .then(resolve, reject)
  })
}
