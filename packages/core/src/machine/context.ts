import type { ErrorRecord } from '../errors.ts'
import type { FireOptions } from '../options.ts'
import type { JsonObject, Task, ToolResult } from '../task.ts'
import type { InputRequest, JobInfo, Progress, RestReason } from '../view.ts'

/** Rises when a snapshot of an earlier release would no longer do; see `migrateSnapshot`. */
export const snapshotVersion = 1

/** What the chart remembers: plain JSON, so that a snapshot survives the process. */
export interface TaskContext {
  /** Of this shape, for snapshots that outlive a release. */
  readonly version: typeof snapshotVersion
  /** Counts runs; whatever belongs to an older one is let go. */
  readonly epoch: number
  readonly attempt: number
  readonly whenBusy: 'replace' | 'reject' | 'queue'
  readonly args: JsonObject | null
  readonly fireOptions: Omit<FireOptions, 'signal'> | null
  /** Calls to make after this one (`whenBusy: 'queue'`). */
  readonly queue: readonly { readonly args: JsonObject; readonly options: Omit<FireOptions, 'signal'> | null }[]
  /** The session in which the task was made, where the server has sessions. */
  readonly session: string | null
  /** On whose behalf, where the connection says so. */
  readonly principal: string | null
  /** The protocol that answered the create call, by name. */
  readonly protocol: string | null
  readonly task: Task | null
  /** ms; first receipt of the handle: the ttl runs from here (EXT-TTL-2). */
  readonly receivedAt: number | null
  /** ms; when the newest snapshot was seen. */
  readonly seenAt: number | null
  /** Whether this run made the task, so that a first "not found" may be a routing fault. */
  readonly created: boolean
  readonly result: ToolResult<unknown> | null
  readonly error: ErrorRecord | null
  readonly progress: Progress | null
  readonly interim: string | null
  readonly job: JobInfo | null
  /** What the server allows, where it says so. */
  readonly mayCancel: boolean | null
  readonly mayRetry: boolean | null
  /** The task can be run again by its id. */
  readonly isRepeatable: boolean
  /** The task that this run repeats. */
  readonly again: string | null
  /** Open prompts. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** Prompts already answered, so that they are not asked again, and the answers (EXT-INPUT-4, EXT-INPUT-13). */
  readonly answered: Readonly<
    Record<string, { readonly request: InputRequest; readonly answer: JsonObject; readonly sent: boolean }>
  >
  /** State of the call's own questions; `undefined` = there were none (MRTR-2). */
  readonly requestState: string | null | undefined
  /** Rounds of the call's own questions so far. */
  readonly rounds: number
  readonly cancelRequested: boolean
  /** A cancel request may have reached the server, whatever came back. */
  readonly cancelLanded: boolean
  /** The server has heard the cancel. */
  readonly cancelHeard: boolean
  readonly cancelUnsupported: boolean
  /** An earlier try of this call was lost: nothing proves that it does not run. */
  readonly mayRun: boolean
  /** The option `onInputRequired: 'cancel'` cancelled this run. */
  readonly refusedInput: boolean
  readonly confirmed: boolean | null
  readonly backingOff: boolean
  readonly overdue: boolean
  /** `maxWait` has passed while the result was on its way. */
  readonly overtime: boolean
  /** One read after the ttl said "working": the next one decides. */
  readonly ttlGrace: boolean
  /** Why a read is wanted out of turn. */
  readonly asked: readonly Asked[]
  /** The server's refusal of our cancel, until a read tells what it means (AUG-CANCEL-3). */
  readonly refusal: ErrorRecord | null
  readonly resting: readonly RestReason[]
  /** Absolute times, ms; `null` = never. */
  readonly deadlines: Deadlines
}

/** Someone asked (`read`), a deadline is to be decided, or a refused cancel is to be understood. */
export type Asked = 'read' | 'ttl' | 'wait' | 'cancel'

export interface Deadlines {
  readonly ttl: number | null
  readonly wait: number | null
  readonly grace: number | null
  /** End of the back-off before the work is run again. */
  readonly retry: number | null
}

/** What every run begins with. */
export const freshRun = {
  args: null,
  fireOptions: null,
  session: null,
  principal: null,
  protocol: null,
  task: null,
  receivedAt: null,
  seenAt: null,
  created: true,
  result: null,
  error: null,
  progress: null,
  interim: null,
  job: null,
  mayCancel: null,
  mayRetry: null,
  isRepeatable: false,
  again: null,
  inputRequests: {},
  answered: {},
  requestState: undefined,
  rounds: 0,
  cancelRequested: false,
  cancelLanded: false,
  cancelHeard: false,
  cancelUnsupported: false,
  mayRun: false,
  refusedInput: false,
  confirmed: null,
  backingOff: false,
  overdue: false,
  overtime: false,
  ttlGrace: false,
  asked: [],
  refusal: null,
  deadlines: { ttl: null, wait: null, grace: null, retry: null },
} as const satisfies Partial<TaskContext>

export const initialContext: TaskContext = {
  ...freshRun,
  version: snapshotVersion,
  epoch: 0,
  attempt: 0,
  whenBusy: 'replace',
  queue: [],
  resting: [],
}
