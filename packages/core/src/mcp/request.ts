import type { RequestOptions, TaskConnection } from '../connection.ts'
import type { JsonObject } from '../task.ts'
import { ABORTED, NOT_CONNECTED, RequestError, toRequestError, UNSUPPORTED } from './errors.ts'
import type { Link } from './link.ts'
import { mark } from './mark.ts'
import { isV1, lacks, MODERN, versionOf } from './negotiated.ts'
import type { Tap } from './tap.ts'
import type { Call } from './types.ts'

/** Accepts anything, in the words of both SDKs: a 2.x client takes a Standard Schema, a 1.x client calls `safeParse`. */
const ANYTHING = {
  '~standard': { version: 1, validate: (value: unknown) => ({ value }) },
  safeParse: (data: unknown) => ({ success: true, data }),
}

const ignore = () => {}

/** ms. A longer timer would fire at once. */
const LONGEST = 2 ** 31 - 1

export function createRequest(link: Link): TaskConnection['request'] {
  const { client } = link

  return (method, params, { signal, timeout, headers, onProgress, asTask } = {}) => {
    const tap = link.tap()
    if (!tap) return Promise.reject(new RequestError('not-connected', NOT_CONNECTED))
    if (lacks(client, method)) return Promise.reject(new RequestError('unsupported', UNSUPPORTED))
    if (signal?.aborted) return Promise.reject(new RequestError('not-sent', ABORTED, { cause: signal.reason }))

    const isModern = versionOf(client) === MODERN
    const call: Call = {
      method,
      onProgress,
      headers: isV1(client) ? headers : undefined,
      outlives: !isModern,
      taskId: params.taskId,
      asTask,
      sent: false,
    }
    const own = signal && isV1(client) ? relay(signal) : undefined
    const settings = {
      signal: own?.signal ?? signal,
      timeout: timeout && Math.min(timeout, LONGEST),
      headers,
      // Keeps a 2.x client from fulfilling input requests by itself.
      allowInputRequired: true,
      // The tap hands progress on; the SDK is only to send a token, and to start its timer anew.
      onprogress: onProgress && ignore,
      resetTimeoutOnProgress: true,
    }
    const settled = () => {
      tap.end(call)
      own?.release()
    }
    tap.begin()
    return send(tap, call, params, settings, isModern && method === 'tools/call').then(
      (value) => {
        settled()
        return call.result ?? (value as JsonObject)
      },
      (error: unknown) => {
        settled()
        // The answer came, but the SDK refuses a task, a missing `resultType`, or content that fits no output schema.
        if (call.result) return call.result
        const failure = toRequestError(error, call, signal?.aborted, tap.transport.sessionId)
        if (failure.reason === 'closed' && failure.status) link.gone(tap, failure)
        throw failure
      },
    )
  }

  function send(tap: Tap, call: Call, params: JsonObject, settings: object, isModernCall: boolean): Promise<unknown> {
    const { method } = call
    // Of the two, only callTool() mirrors arguments into Mcp-Param-* headers (HTTP-4). It does not send at once, and refuses a tool
    // with an output schema that it cannot compile.
    if (isModernCall)
      return client.callTool(mark(params, call), settings).catch((error) => {
        if (call.sent) throw error
        return send(tap, call, params, settings, false)
      })
    try {
      return tap.during(call, () => client.request({ method, params }, ANYTHING, settings))
    } catch (error) {
      return Promise.reject(error)
    }
  }
}

/** A 1.x client never takes its abort listener off a signal again, so it gets one that lives no longer than the request. */
function relay(signal: NonNullable<RequestOptions['signal']>) {
  const controller = new AbortController()
  const abort = () => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  return { signal: controller.signal, release: () => signal.removeEventListener('abort', abort) }
}
