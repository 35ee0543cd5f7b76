import type { TaskRunner } from '../task-runner.ts'

/** What a component can do with its task: the runner's verbs, but for `result()`, whose name the view's `result` has. */
export type TaskVerbs<Input, Output> = Pick<
  TaskRunner<Input, Output>,
  'fire' | 'cancel' | 'respond' | 'retry' | 'resume' | 'adopt' | 'refresh' | 'detach' | 'reset'
>

/** Verbs that stay the same whichever runner is the one at the time. */
export function createVerbs<Input, Output>(current: () => TaskRunner<Input, Output>): TaskVerbs<Input, Output> {
  return {
    fire: (args, options) => current().fire(args, options),
    cancel: () => current().cancel(),
    respond: (answers) => current().respond(answers),
    retry: () => current().retry(),
    resume: (reference) => current().resume(reference),
    adopt: (answer) => current().adopt(answer),
    refresh: () => current().refresh(),
    detach: () => current().detach(),
    reset: () => current().reset(),
  }
}
