import type { TaskConnection } from './connection.ts'
import type { TaskProtocol } from './protocols/protocol.ts'
import type { TaskReference } from './reference.ts'
import { checkRetryPolicy, type RetryPolicy } from './retry-policy.ts'
import type { TaskStorage } from './stored-reference.ts'
import type { JsonObject } from './task.ts'
import type { InputRequest, TaskView } from './view.ts'

/** A schema of any library that follows Standard Schema v1 (zod, valibot, arktype, …). */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): unknown
    readonly types?: { readonly output: Output } | undefined
  }
}

/**
 * Receives XState inspection events, as a function or as an observer (`@statelyai/inspect`'s `inspector.inspect`).
 * The event is `any`, since XState's own observers take something narrower than `unknown`.
 */
export type InspectionObserver = ((event: any) => void) | { next?: ((event: any) => void) | undefined }

/** What a runner or a machine is made from. Times are in ms. */
export interface TaskOptions<Output = unknown> {
  readonly connection: TaskConnection
  /** Name of the tool to call. */
  readonly tool: string
  /** @default 'auto': tasks if the connection and the tool have them, else a plain call */
  readonly protocol?: 'auto' | TaskProtocol
  /** Checks the result's data; a mismatch fails the run as `malformed`. */
  readonly output?: StandardSchema<Output>
  /** Used when the server names none. @default 2000 */
  readonly pollInterval?: number
  /** @default 250 */
  readonly minPollInterval?: number
  /** @default 60000 */
  readonly maxPollInterval?: number
  /** Gives up at this many failed reads in a row; the run is then `detached` and can be resumed. @default 3 */
  readonly maxPollFailures?: number
  /** For every request but the create call. @default 30000 */
  readonly requestTimeout?: number
  /** For the create call, started anew by each progress notification. @default 60000 */
  readonly submitTimeout?: number
  /** From fire or resume; then the run is `detached` because of `timeout`. A terminal answer in flight at the deadline wins. @default none */
  readonly maxWait?: number
  /** After an unanswered cancel wish the view `isStale`. @default none */
  readonly cancelGrace?: number
  /** The tool may safely run twice: only then is a lost create call repeated. @default false */
  readonly idempotent?: boolean
  /**
   * Runs failed work again: only where the tool is `idempotent`, or the server offers it for this job. `{ maxAttempts: 1 }` never does.
   * @default what the tool declares as `_meta.retryPolicy`, else none
   */
  readonly retryPolicy?: RetryPolicy
  /** What `fire` does while a run is going on. `replace` lets the old task go without cancelling it. @default 'replace' */
  readonly whenBusy?: 'replace' | 'reject' | 'queue'
  /** Who answers when the server asks. `cancel` cancels such a run; a function is called once per prompt, in a page that is not hidden. @default 'wait' */
  readonly onInputRequired?: 'wait' | 'cancel' | ((request: InputRequest) => Promise<JsonObject>)
  /** Keep reading in a hidden tab. @default false */
  readonly background?: boolean
  /** What losing the last subscriber does. @default 'rest' */
  readonly onUnmount?: 'rest' | 'cancel' | 'keep'
  /** Keeps the reference of a run until it has ended, so that it goes on after a reload: `localStorage`, or anything alike. */
  readonly storage?: TaskStorage
  /** Where in it; each place that runs the tool needs one of its own. @default 'mcp-task-machine:' and the tool's name */
  readonly storageKey?: string
  /** Goes on with a stored run at the first `subscribe` or `result`, never at creation; `resume()` does it at any time. @default true */
  readonly autoResume?: boolean
  /** Shown until something happens: what a server rendered. */
  readonly initialView?: TaskView<Output>
  /** Called once per run, when it has ended. */
  readonly onSettled?: (view: TaskView<Output>) => void
  /** Called with a task that goes on without us: replaced, or answered when nobody waited any more. What `reset()` lets go, it returns. */
  readonly onOrphan?: (reference: TaskReference) => void
  /** Watches the chart: see the README. */
  readonly inspect?: InspectionObserver
  /** Show arguments, results, answers and ids to `inspect`. @default false: redacted */
  readonly inspectPayloads?: boolean
}

/** Settings of one call. */
export interface FireOptions {
  /** Stops waiting, like `result({ signal })`; the work goes on. Aborted beforehand: nothing is sent. */
  readonly signal?: AbortSignal
  /** ms the server should keep the task; 2025-11-25 only. */
  readonly ttl?: number
  /** Sent as `_meta` of the call. */
  readonly meta?: JsonObject
  /** Sent with the call, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The options with every default filled in. */
export interface Settings extends TaskOptions {
  readonly pollInterval: number
  readonly minPollInterval: number
  readonly maxPollInterval: number
  readonly maxPollFailures: number
  readonly requestTimeout: number
  readonly submitTimeout: number
  /** Asked before each call of the tool: a promise while there is no room for it. */
  readonly admit?: (() => Promise<void> | undefined) | undefined
}

const numbers = [
  'pollInterval',
  'minPollInterval',
  'maxPollInterval',
  'maxPollFailures',
  'requestTimeout',
  'submitTimeout',
  'maxWait',
  'cancelGrace',
] as const
const words: Readonly<Record<string, readonly unknown[]>> = {
  whenBusy: ['replace', 'reject', 'queue'],
  onUnmount: ['rest', 'cancel', 'keep'],
}

/** Fills in the defaults. @throws TypeError at once, with a sentence, if an option is not what it should be */
export function toSettings(options: TaskOptions): Settings {
  expected(
    typeof options?.connection?.request === 'function',
    '`connection` to be a TaskConnection, for example fromClient(client)',
  )
  expected(typeof options.tool === 'string' && options.tool !== '', '`tool` to be the name of a tool')
  for (const name of numbers) {
    const value: unknown = options[name]
    expected(value === undefined || (typeof value === 'number' && value > 0), `\`${name}\` to be a positive number`)
  }
  for (const [name, allowed] of Object.entries(words)) {
    const value = options[name as keyof TaskOptions]
    expected(value === undefined || allowed.includes(value), `\`${name}\` to be one of ${allowed.join(', ')}`)
  }
  const { onInputRequired: answer = 'wait', protocol = 'auto' } = options
  expected(
    answer === 'wait' || answer === 'cancel' || typeof answer === 'function',
    "`onInputRequired` to be 'wait', 'cancel' or a function",
  )
  expected(
    protocol === 'auto' || typeof protocol?.name === 'string',
    "`protocol` to be 'auto' or a protocol such as extension()",
  )
  const { output, retryPolicy, inspect, storage, storageKey } = options
  expected(
    storage === undefined ||
      ['getItem', 'setItem', 'removeItem'].every((name) => typeof storage?.[name as 'getItem'] === 'function'),
    '`storage` to have getItem, setItem and removeItem, like localStorage',
  )
  expected(
    storageKey === undefined || (typeof storageKey === 'string' && storageKey !== ''),
    '`storageKey` to be a string',
  )
  expected(
    output === undefined || typeof output?.['~standard']?.validate === 'function',
    '`output` to be a Standard Schema',
  )
  expected(
    inspect === undefined || typeof inspect === 'function' || (typeof inspect === 'object' && inspect !== null),
    '`inspect` to be a function or an observer',
  )
  for (const name of ['onSettled', 'onOrphan'] as const) {
    expected(options[name] === undefined || typeof options[name] === 'function', `\`${name}\` to be a function`)
  }
  if (retryPolicy !== undefined) checkRetryPolicy(retryPolicy)
  return {
    pollInterval: 2000,
    minPollInterval: 250,
    maxPollInterval: 60_000,
    maxPollFailures: 3,
    requestTimeout: 30_000,
    submitTimeout: 60_000,
    ...(Object.fromEntries(
      Object.entries(options).filter(([, value]) => value !== undefined),
    ) as unknown as TaskOptions),
  }
}

/** @throws TypeError unless the condition holds */
export function expected(condition: boolean, what: string): asserts condition {
  if (!condition) throw new TypeError(`Expected ${what}.`)
}
