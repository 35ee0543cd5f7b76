import type { RuntimeOf } from '../runtime.ts'
import { cancelActions } from './cancelling.ts'
import { newsActions } from './news.ts'
import { promptActions } from './prompts.ts'
import { readingActions } from './reading.ts'
import { runActions } from './runs.ts'

/** Everything the chart does. What JSON can't hold is reached through the runtime of the actor. */
export function createActions(runtimeOf: RuntimeOf) {
  return {
    ...runActions(runtimeOf),
    ...newsActions(runtimeOf),
    ...promptActions(runtimeOf),
    ...cancelActions(runtimeOf),
    ...readingActions(runtimeOf),
  }
}
