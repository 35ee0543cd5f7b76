import type { ErrorRecord, TaskErrorKind } from '../errors.ts'
import { isObject } from './json.ts'

/** Marks what was read already; survives a spread, and no server can send it. */
const ours = Symbol('failure')

/** Why a request gave no answer we can use. */
export interface Failure extends ErrorRecord {
  /**
   * `transient`: try again later · `gone`: the id is unknown or expired · `closed`: the connection or its session is gone ·
   * `refused`: this way of asking will never work · `unauthorized` · `malformed` · `unsent`: proven that nothing left.
   */
  readonly [ours]: true
  readonly sort: 'transient' | 'gone' | 'closed' | 'refused' | 'unauthorized' | 'malformed' | 'unsent'
  /** ms the server asked us to wait. */
  readonly retryAfter?: number | undefined
  /** Repeated until the tries are used up, it means that the server does not know the id. */
  readonly endsAs?: 'gone'
  /** The HTTP status, where an HTTP error told one. */
  readonly status?: number | undefined
  /** ms; the work is run again at this time, by the caller's policy. */
  readonly retryAt?: number | undefined
  /** The server answered; `false` means that the request may or may not have been carried out. */
  readonly answered: boolean
}

const unsentCodes: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']
/** Answers that say: not in this form, whoever asks and however often (`obligations.md` section 9). */
const refusals: readonly unknown[] = [-32601, -32600, -32020, -32021, -32022, -32700]
const passing: readonly unknown[] = [408, 425, 429]
/** ms; a server that asks to be left alone for longer is not taken at its word. */
const longestWish = 3_600_000
const prefix = /^(?:MCP error -?\d+: )+/

const kinds: Readonly<Record<Failure['sort'], TaskErrorKind>> = {
  transient: 'unreachable',
  gone: 'expired',
  closed: 'unreachable',
  refused: 'protocol',
  unauthorized: 'unauthorized',
  malformed: 'malformed',
  unsent: 'not-sent',
}

const property = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** Reads whatever a connection rejected with; never throws. */
export function readFailure(error: unknown): Failure {
  try {
    return classify(error)
  } catch {
    return classify({})
  }
}

function classify(error: unknown): Failure {
  if (isObject(error) && ours in error) return error as unknown as Failure
  const data = property(error, 'data')
  const given = property(error, 'code')
  // A JSON-RPC code may be any number; only a bare one of this size is the status of an HTTP error (SDK 1.x).
  const bare = property(error, 'reason') === 'answer' ? undefined : given
  const http = [property(error, 'status'), property(data, 'status'), bare].find(
    (value) => typeof value === 'number' && value >= 100 && value < 600,
  ) as number | undefined
  const code = typeof given === 'number' && (bare === undefined || given !== http) ? given : undefined
  const reason = property(error, 'reason') ?? property(property(error, 'cause'), 'code') ?? given
  const sort = sortOf(code, http, reason, data)
  const message = property(error, 'message')
  const retryAfter = property(error, 'retryAfter')
  const lacksCapability = isObject(property(data, 'requiredCapabilities'))
  return {
    [ours]: true,
    sort,
    kind: lacksCapability || reason === 'unsupported' ? 'unsupported' : kinds[sort],
    message:
      typeof message === 'string' && message !== ''
        ? message.replace(prefix, '')
        : 'The request failed without saying why.',
    code,
    data,
    status: http,
    retryable: sort === 'transient' || sort === 'closed' || sort === 'unsent' || sort === 'unauthorized',
    retryAfter: typeof retryAfter === 'number' && retryAfter > 0 ? Math.min(retryAfter, longestWish) : undefined,
    // -32001 without an HTTP status is the older SDK's own time-out, not a word of the server.
    answered:
      reason === 'answer' ||
      reason === 'malformed' ||
      (code !== undefined && !(code === -32001 && http === undefined)) ||
      (http !== undefined && (http < 500 || http === 503)),
  }
}

function sortOf(code: number | undefined, http: number | undefined, reason: unknown, data: unknown): Failure['sort'] {
  if (reason === 'not-sent' || reason === 'not-connected' || unsentCodes.includes(reason)) return 'unsent'
  if (http === 401 || http === 403) return 'unauthorized'
  if (reason === 'closed' || http === 410 || (http === 404 && (code === undefined || code === -32001))) return 'closed'
  if (reason === 'unsupported') return 'refused'
  if (code === -32602 || reason === 'task_expired' || property(data, 'code') === 'task_expired') return 'gone'
  if (refusals.includes(code) || isObject(property(data, 'requiredCapabilities'))) return 'refused'
  if (reason === 'malformed') return 'malformed'
  if (code === undefined && http !== undefined && http >= 400 && http < 500 && !passing.includes(http)) return 'refused'
  return 'transient'
}

/** A server broke off a blocked fetch (mcp-go): nothing is said about the task. */
export const INTERRUPTED = -32800

/** A request that got no answer in time. */
export const noAnswer: Failure = readFailure({ reason: 'timeout', message: 'The server did not answer in time.' })

/** A failure of our own making. */
export function createFailure(parts: Partial<Failure> & Pick<Failure, 'sort' | 'message'>): Failure {
  return { ...readFailure({}), ...parts }
}
