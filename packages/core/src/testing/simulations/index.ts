import { jobs } from './jobs.ts'
import type { Simulation } from './simulation.ts'
import { tasks } from './tasks.ts'

/** The name of a simulation. */
export type SimulationName = keyof typeof jobs | keyof typeof tasks

/**
 * The states that demos skip, each as a ready view and as a ready connection: jobs by job tools, then tasks and plain calls.
 *
 * @example
 * render(<JobPanel view={simulations.timedOutWithRetry.view} />)
 */
export const simulations: Readonly<Record<SimulationName, Simulation>> = { ...jobs, ...tasks }
