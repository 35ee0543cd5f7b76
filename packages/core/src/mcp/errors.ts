import { retryDelay } from './http.ts'
import type { AnswerError, Call } from './types.ts'

/**
 * Why a request was not fulfilled.
 * - `answer`: the server answered with a JSON-RPC error; `code` and `data` are its own.
 * - `http`: an HTTP error status without a JSON-RPC error in its body.
 * - `malformed`: an answer came, but its form was refused before it got here.
 * - `timeout`, `aborted`: we stopped waiting; the server may still be working on it.
 * - `closed`: the connection closed, or its session is gone (2025-11-25, HTTP-7).
 * - `network`: the connection broke; the server may have received the request.
 * - `not-connected`, `not-sent`: nothing left this process, so sending it again is safe.
 * - `unsupported`: the server does not offer the method, and nothing was sent.
 */
export type RequestErrorReason =
  | 'answer'
  | 'http'
  | 'malformed'
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'network'
  | 'not-connected'
  | 'not-sent'
  | 'unsupported'

/** What a request of a connection rejects with, whichever SDK carried it. `cause` is that SDK's own error. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  declare readonly reason: RequestErrorReason
  /** The JSON-RPC code of the server's answer. What happened on our side never has one (ERR-1). */
  declare readonly code?: number | undefined
  declare readonly data?: unknown
  /** The HTTP status, where an HTTP error told one. */
  declare readonly status?: number | undefined
  /** ms to wait before the next request, from `Retry-After` of an HTTP error (EXT-POLL-5). */
  declare readonly retryAfter?: number | undefined

  constructor(reason: RequestErrorReason, message: string, details: object = {}) {
    super(message)
    Object.assign(this, details, { reason })
  }
}

/** For a request over a client that has no connection. */
export const NOT_CONNECTED = 'The MCP client is not connected: await client.connect(transport) first.'
export const UNSUPPORTED = 'The server does not offer this for tasks.'
export const ABORTED = 'The request was aborted.'

/** What the codes and names of local errors mean. With the last group nothing was sent. */
const REASONS: Readonly<Record<string, RequestErrorReason>> = {
  REQUEST_TIMEOUT: 'timeout',
  '-32001': 'timeout',
  CONNECTION_CLOSED: 'closed',
  '-32000': 'closed',
  INVALID_RESULT: 'malformed',
  CLIENT_HTTP_UNEXPECTED_CONTENT: 'malformed',
  '-1': 'malformed',
  ZodError: 'malformed',
  SyntaxError: 'malformed',
  'Not connected': 'not-connected',
  ECONNREFUSED: 'not-sent',
  ENOTFOUND: 'not-sent',
  EAI_AGAIN: 'not-sent',
  UND_ERR_CONNECT_TIMEOUT: 'not-sent',
}

/** The status behind errors that do not bear it, by name, or by text where 1.x gives no name. */
const STATUSES: Readonly<Record<string, number>> = {
  UnauthorizedError: 401,
  Unauthorized: 401,
  InsufficientScopeError: 403,
}

/** An error of either SDK, of `fetch` or of a transport: what is read of it. */
interface Thrown {
  readonly name?: string
  readonly message?: string
  readonly code?: unknown
  readonly data?: { readonly status?: number; readonly text?: string }
  readonly cause?: { readonly code?: string }
}

/** Turns what an SDK's request rejected with into a `RequestError`. */
export function toRequestError(
  cause: unknown,
  call: Call,
  isAborted: boolean | undefined,
  sessionId: string | undefined,
): RequestError {
  const thrown = Object(cause) as Thrown
  const { error, http } = call
  if (call.lost) return new RequestError('network', 'The answer broke off.', { cause })
  if (error) {
    // Some servers tell that a session is gone like any other error, with HTTP status 200.
    const isSessionGone = sessionId && error.code === -32001 && /session/i.test(`${error.message}`)
    return fromAnswer(isSessionGone ? 'closed' : 'answer', error, { cause, status: http?.status })
  }
  if (isAborted) return new RequestError(call.sent ? 'aborted' : 'not-sent', ABORTED, { cause })

  const status = statusOf(thrown)
  if (!status) return fromLocal(thrown, call, cause)
  const answer = parseAnswer(thrown.data?.text ?? thrown.message ?? '')
  // HTTP-7; a method may be missing where a session is not.
  const isGone = sessionId && (status === 404 || status === 410) && answer?.code !== -32601
  const reason = isGone ? 'closed' : answer ? 'answer' : 'http'
  const message = `The server answered with HTTP status ${status}.`
  return fromAnswer(reason, { message, ...answer }, { cause, status, retryAfter: retryDelay(http?.retryAfter) })
}

function fromLocal({ name, message = '', code, cause: inner }: Thrown, call: Call, cause: unknown): RequestError {
  const reason =
    [code, name, message, inner?.code].map((key) => REASONS[`${key}`]).find(Boolean) ??
    (call.sent ? 'network' : 'not-sent')
  // What the SDK says of a malformed answer may quote it.
  const sentence = reason === 'malformed' ? 'The MCP SDK refuses the form of the answer.' : message
  return fromAnswer(reason, { message: reason === 'not-connected' ? NOT_CONNECTED : sentence }, { cause })
}

/** What the SDKs put before a message, once at each end, is not part of it. */
function fromAnswer(reason: RequestErrorReason, answer: Partial<AnswerError>, details: object): RequestError {
  const { code, message, data } = answer
  return new RequestError(reason, `${message}`.replace(/^(MCP error -?\d+: )+/, ''), { ...details, code, data })
}

/** 2.x: `data.status`; 1.x: `code` (-1 is none), or `(HTTP 503)` in the text of the SSE transport. `NaN`: none. */
function statusOf({ code, data, message = '', name = '' }: Thrown): number {
  if (data?.status) return data.status
  if (Number(code) >= 100) return Number(code)
  return STATUSES[name] ?? STATUSES[message] ?? Number(/\(HTTP (\d{3})\)/.exec(message)?.[1])
}

/** The JSON-RPC error in the body of an HTTP error, which the SDKs only give as text. */
function parseAnswer(text: string): AnswerError | undefined {
  try {
    const { error } = JSON.parse(text.slice(text.indexOf('{')))
    return typeof error.code === 'number' ? error : undefined
  } catch {
    return undefined
  }
}
