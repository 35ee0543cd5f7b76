import { createActor, type AnyActorRef, type ActorOptions } from 'xstate'
import type { Settings } from '../options.ts'
import { buildMachine } from './machine.ts'
import { createRuntime, type Runtime } from './runtime.ts'

const runtimes = new WeakMap<object, Runtime>()
let machine: ReturnType<typeof buildMachine> | undefined

/** The machine's actor and its runtime. All runners share one definition, which weighs more than a run does. */
export function createTaskActor(
  settings: Settings,
  options: Pick<ActorOptions<ReturnType<typeof buildMachine>>, 'inspect'>,
) {
  machine ??= buildMachine((actor: AnyActorRef) => runtimes.get(actor)!)
  const actor = createActor(machine, { id: settings.tool, ...options })
  const runtime = createRuntime(settings)
  runtimes.set(actor, runtime)
  return { actor, runtime }
}
