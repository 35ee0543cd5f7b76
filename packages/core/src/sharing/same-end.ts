import type { TaskConnection } from '../connection.ts'
import { isSamePrincipal } from '../reference.ts'

/** Whether a run over the one connection can go on over the other: nobody reads the tasks of somebody else (SEC-6). An endpoint without a name is only itself. */
export const isSameEnd = (one: TaskConnection, other: TaskConnection): boolean =>
  one === other ||
  (one.endpoint !== '' && one.endpoint === other.endpoint && isSamePrincipal(one.principal, other.principal))
