import type { TaskConnection } from '../../connection.ts'
import { initialContext, type TaskContext } from '../../machine/context.ts'
import { createView } from '../../machine/to-view.ts'
import type { TaskOptions } from '../../options.ts'
import { createTaskRunner } from '../../runner.ts'
import type { Clock } from '../../connection.ts'
import type { JsonObject } from '../../task.ts'
import type { TaskRunner } from '../../task-runner.ts'
import type { Phase, TaskView } from '../../view.ts'
import type { Schedule } from '../schedule.ts'
import { createScriptedServer, type ScriptedServer, type ScriptedServerOptions } from '../scripted-server.ts'
import { createTestClock, pass } from '../test-clock.ts'

/** One state of a run, to look at and to get to. */
export interface Simulation {
  /** A few words for a heading. */
  readonly title: string
  /** What a person sees in this state and may do. */
  readonly sentence: string
  /** What a runner shows in this state. By another clock only the times and the keys of questions differ. */
  readonly view: TaskView
  readonly tool: string
  readonly args: JsonObject
  /** What the runner needs besides `connection` and `tool`. */
  readonly options: Omit<TaskOptions, 'connection' | 'tool'>
  /** ms from the call until the state is there, or until it is time for the act. */
  readonly takes: number
  /** What somebody has to do then: cancel, detach, or take the page offline (Playwright: `context.setOffline(true)`). */
  readonly act: 'cancel' | 'detach' | 'offline' | null
  /** A server whose calls get into this state and stay there. */
  server(): ScriptedServer
  server<Time extends Clock>(clock: Time): ScriptedServer<Time>
  /** Its connection; over a test clock of its own, unless another one is given. */
  connection(clock?: Clock): TaskConnection
  /** Makes a runner, calls the tool, lets the time pass on the connection's clock, and acts. @returns the runner in this state */
  play(connection?: TaskConnection): Promise<TaskRunner>
}

/** What a simulation is made of. */
interface Parts extends Pick<Simulation, 'title' | 'sentence' | 'tool' | 'args'> {
  readonly options?: Simulation['options']
  readonly schedule: Schedule
  readonly server?: Omit<ScriptedServerOptions, 'clock'>
  readonly takes?: number
  readonly act?: Simulation['act']
  readonly phase: Phase
  readonly context: Partial<TaskContext>
}

export function simulate({ schedule, server: settings, phase, context, ...parts }: Parts): Simulation {
  const { tool, args, options = {}, takes = 0, act = null } = parts
  const server = (clock: Clock = createTestClock()) => createScriptedServer(schedule, { ...settings, clock })
  const connection = (clock?: Clock) => server(clock).connection
  return {
    ...parts,
    options,
    takes,
    act,
    view: createView(phase, { ...initialContext, attempt: 1, args, ...context }),
    server: server as Simulation['server'],
    connection,
    async play(over = connection()) {
      const runner = createTaskRunner({ ...options, connection: over, tool })
      // The view says how it went.
      runner.fire(args).catch(() => {})
      await pass(over.clock, takes)
      if (act === 'cancel') void runner.cancel()
      if (act === 'detach') runner.detach()
      await pass(over.clock, 0)
      return runner
    },
  }
}

/** A time of the server, ms after everything began by the test clock. */
export const stamp = (ms: number): string => new Date(createTestClock().now() + ms).toISOString()
