import { onTestFinished } from 'vitest'
import { createTaskRunner, jobTools, type TaskOptions } from '../../src/index.ts'
import {
  createScriptedServer,
  reportTools,
  type Schedule,
  type ScriptedServerOptions,
} from '../../src/testing/index.ts'

export const flavours = ['extension', 'augmented', 'plain', 'jobTools'] as const
export const tool = 'start_report'

/** A server that tells a story, and a runner that hears it. */
export function begin(schedule: Schedule, options: ScriptedServerOptions = {}, more: Partial<TaskOptions> = {}) {
  const server = createScriptedServer(schedule, options)
  const { connection, clock } = server
  const protocol = options.flavour === 'jobTools' ? jobTools(reportTools) : 'auto'
  const runner = createTaskRunner({ connection, tool, protocol, ...more })
  onTestFinished(runner.dispose)
  const seen: string[] = []
  runner.subscribe(() => {
    const { phase } = runner.getSnapshot()
    if (seen.at(-1) !== phase) seen.push(phase)
  })
  runner.fire({ quarter: 'Q3' }).catch(() => {})
  return { server, clock, runner, seen, view: () => runner.getSnapshot() }
}

export const question = {
  method: 'elicitation/create',
  params: { message: 'Which ocean?', requestedSchema: { type: 'object' } },
}
