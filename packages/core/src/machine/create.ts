import { toSettings, type TaskOptions } from '../options.ts'
import { buildMachine } from './machine.ts'
import { createRuntime, type Runtime } from './runtime.ts'

/**
 * The chart itself, for `createActor(createTaskMachine(options), { snapshot?, inspect? })` and for embedding in a chart of your own.
 * Creating and starting an actor sends nothing; `fire` does. A snapshot restored while submitting shows `detached` because `lost`;
 * in `cancelling` the wish is sent again, or read first once it was acknowledged; at a terminal nothing is sent.
 *
 * @throws TypeError if an option is not what it should be
 */
export function createTaskMachine<Output = unknown>(options: TaskOptions<Output>) {
  const settings = toSettings(options as TaskOptions)
  const runtimes = new WeakMap<object, Runtime>()
  return buildMachine((machine) => {
    let runtime = runtimes.get(machine)
    if (!runtime) runtimes.set(machine, (runtime = createRuntime(settings)))
    return runtime
  })
}
