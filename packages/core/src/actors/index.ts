import type { RuntimeOf } from '../machine/runtime.ts'
import { cancel } from './cancel.ts'
import { deadline } from './deadline.ts'
import { poll } from './poll.ts'
import { prompt } from './prompt.ts'
import { respond } from './respond.ts'
import { settle } from './settle.ts'
import { submit } from './submit.ts'

/** Everything the chart invokes. */
export function createActors(runtimeOf: RuntimeOf) {
  return {
    submit: submit(runtimeOf),
    poll: poll(runtimeOf),
    settle: settle(runtimeOf),
    respond: respond(runtimeOf),
    cancel: cancel(runtimeOf),
    deadline: deadline(runtimeOf),
    prompt: prompt(runtimeOf),
  }
}
