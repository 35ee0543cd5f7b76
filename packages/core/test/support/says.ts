import fc from 'fast-check'
import type { JsonObject } from '../../src/index.ts'
import type { WireRequest } from './world.ts'

/** What a server may say to whatever it is asked, in one shape for all methods. */
export interface Say {
  readonly kind: 'task' | 'result' | 'asks' | 'error' | 'http' | 'network' | 'nonsense' | 'foreign'
  readonly status: string
  readonly interval: number | null | undefined
  readonly ttl: number | null | undefined
  /** s after some start; `null` = no stamp. */
  readonly stamp: number | null
  readonly payload: boolean
  readonly isError: boolean
  readonly keys: readonly string[]
  readonly code: number
  readonly http: number
  readonly network: number
}

export const promptKeys = ['k1', 'k2', '__proto__']

export const says = (over: Partial<{ [Key in keyof Say]: fc.Arbitrary<Say[Key]> }> = {}): fc.Arbitrary<Say> =>
  fc.record({
    kind: fc.oneof(
      { weight: 12, arbitrary: fc.constant<Say['kind']>('task') },
      { weight: 2, arbitrary: fc.constant<Say['kind']>('result') },
      { weight: 2, arbitrary: fc.constant<Say['kind']>('asks') },
      { weight: 2, arbitrary: fc.constant<Say['kind']>('error') },
      { weight: 2, arbitrary: fc.constant<Say['kind']>('http') },
      { weight: 2, arbitrary: fc.constant<Say['kind']>('network') },
      { weight: 1, arbitrary: fc.constant<Say['kind']>('nonsense') },
      { weight: 1, arbitrary: fc.constant<Say['kind']>('foreign') },
    ),
    status: fc.constantFrom(
      'working',
      'working',
      'working',
      'input_required',
      'input_required',
      'completed',
      'failed',
      'cancelled',
      'paused',
    ),
    interval: fc.constantFrom(undefined, null, 0, 250, 1000, 5000, 60_000),
    ttl: fc.constantFrom(undefined, undefined, null, null, 0, 1000, 30_000),
    stamp: fc.option(fc.nat(20)),
    payload: fc.boolean(),
    isError: fc.boolean(),
    keys: fc.subarray(promptKeys),
    code: fc.constantFrom(-32602, -32602, -32603, -32601, -32600, -32021, -32001, -32800, -32000, 7),
    http: fc.constantFrom(400, 401, 403, 404, 408, 410, 429, 500, 503),
    network: fc.nat(3),
    ...over,
  })

/** Words that must never show up where they could be read by others. */
export const secrets = {
  id: 'SECRET-id',
  state: 'SECRET-state',
  url: 'SECRET-url',
  argument: 'SECRET-argument',
  result: 'SECRET-result',
  answer: 'SECRET-answer',
  prompt: 'SECRET-prompt',
}
export const endpoint = `https://tiles.example/${secrets.url}`

export const body = (say: Say): JsonObject => ({
  content: [{ type: 'text', text: say.isError ? 'the tool says no' : secrets.result }],
  structuredContent: { secret: secrets.result },
  ...(say.isError && { isError: true }),
})

const prompts = ({ keys }: Say) =>
  Object.fromEntries(
    keys.map((key) => [key, { method: 'elicitation/create', params: { message: secrets.prompt, url: endpoint, key } }]),
  )

export function taskOf(say: Say, taskId: string, withPayload = true): JsonObject {
  const { status, interval, ttl, stamp, payload } = say
  return {
    taskId,
    status,
    ...(ttl !== undefined && { ttlMs: ttl }),
    ...(interval !== undefined && { pollIntervalMs: interval }),
    ...(stamp !== null && { lastUpdatedAt: new Date(1_800_000_000_000 + stamp * 1000).toISOString() }),
    ...(withPayload && payload && status === 'completed' && { result: body(say) }),
    ...(withPayload &&
      payload &&
      status === 'failed' && { error: { code: -32603, message: 'renderer lost', data: { secret: secrets.result } } }),
    ...(withPayload && status === 'input_required' && { inputRequests: prompts(say) }),
  }
}

/** The answer of the server to one request. */
export function answerTo(request: WireRequest, say: Say): { result: unknown } | { error: unknown } {
  const { kind, code, http, network } = say
  if (kind === 'error') return { error: { code, message: 'the server says no', data: { secret: secrets.result } } }
  if (kind === 'http') return { error: { status: http, message: 'an HTTP error' } }
  if (kind === 'network')
    return {
      error: [
        { message: 'socket hang up' },
        { reason: 'closed', message: 'closed' },
        { cause: { code: 'ECONNREFUSED' }, message: 'refused' },
        { reason: 'timeout', message: 'timed out' },
      ][network]!,
    }
  if (kind === 'nonsense') return { result: { banana: true } }
  if (request.method === 'tools/call') {
    if (kind === 'result') return { result: body(say) }
    if (kind === 'asks')
      return { result: { resultType: 'input_required', inputRequests: prompts(say), requestState: secrets.state } }
    return { result: { resultType: 'task', ...taskOf(say, `${secrets.id}-${request.nth}`, false) } }
  }
  if (request.method === 'tasks/get') {
    const taskId = kind === 'foreign' ? `${secrets.id}-foreign` : (request.params['taskId'] as string)
    return { result: { resultType: 'complete', ...taskOf(say, taskId) } }
  }
  return { result: { resultType: 'complete' } }
}

/** What a generation of servers says, where they differ. */
export interface Server {
  readonly generation: '2026-07-28' | '2025-11-25'
  answerTo(request: WireRequest, say: Say): { result: unknown } | { error: unknown }
  /** A task as a push gives it. */
  taskOf(say: Say, taskId: string): JsonObject
  /** A task as the answer to a call gives it. */
  handleOf(say: Say, taskId: string): JsonObject
  /** The id of a task that an answer calls cancelled. */
  cancelledBy(answer: { result: unknown } | { error: unknown }): string | undefined
  /** Whether an answer to a call wants it sent again. */
  asksRound(answer: { result: unknown } | { error: unknown }): boolean
}

const resultOf = (answer: object) => ('result' in answer ? (answer.result as Record<string, string>) : {})

export const modern: Server = {
  generation: '2026-07-28',
  answerTo,
  taskOf,
  handleOf: (say, taskId) => taskOf(say, taskId, false),
  cancelledBy(answer) {
    const { taskId, status } = resultOf(answer)
    return status === 'cancelled' ? taskId : undefined
  },
  asksRound: (answer) => resultOf(answer)['resultType'] === 'input_required',
}
