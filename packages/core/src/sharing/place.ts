import type { TaskConnection } from '../connection.ts'
import type { InspectionObserver } from '../options.ts'

/** A component's place at something to be shown: what the adapters do alike for a task and for a group. */
export interface Place<View, Options> {
  /** Those of the last render: its functions are the ones that are called. */
  options: Options
  /** Goes on over this connection, which the place fits. */
  connect(connection: TaskConnection): void
  readonly getSnapshot: () => View
  /** What a server renders and hydration starts from. */
  readonly getInitialView: () => View
  /** The component is there to stay. @param changed called when something else is in the place @returns how to leave */
  readonly enter: (changed: () => void) => () => void
  /** Enters, and follows what is there. @param changed called on every visible change, and once at once @returns how to leave */
  readonly watch: (changed: () => void) => () => void
}

/** What a provider gives. */
export interface Surroundings {
  readonly connection: TaskConnection
  readonly inspect?: InspectionObserver | undefined
}
