import type { Call, Transport } from './types.ts'

/**
 * A `fetch` around the one that an HTTP transport keeps, for what the SDKs do not hand on: from the server the status and `Retry-After`
 * of an error, and to it the headers of a request in SDK 1.x.
 */
export function aroundFetch(
  inner: typeof fetch | undefined,
  pending: ReadonlyMap<number, Call>,
  { hasPerRequestStream }: Transport,
): typeof fetch {
  const callOf = (init: RequestInit | undefined): Call | undefined => {
    try {
      return pending.get(JSON.parse(init!.body as string).id)
    } catch {
      // Not the POST of a message.
      return undefined
    }
  }
  return async (url, init) => {
    // A 2.x transport sends them itself.
    const added = hasPerRequestStream ? undefined : callOf(init)?.headers
    if (added) {
      const headers = new Headers(added)
      // What the transport sets is not to be changed.
      new Headers(init?.headers).forEach((value, name) => headers.set(name, value))
      init = { ...init, headers }
    }
    const response = await (inner ?? fetch)(url, init)
    const { ok, status, headers } = response
    // With 401 and 403 the SDK authorizes and tries again: they need not be the last.
    const call = ok || status === 401 || status === 403 ? undefined : callOf(init)
    if (call) call.http = { status, retryAfter: headers.get('retry-after') }
    return response
  }
}

/** ms, from `Retry-After` in either of its forms (RFC 9110, 10.2.3): seconds, or a date. */
export function retryDelay(header: string | null | undefined): number | undefined {
  if (!header) return undefined
  const delay = Number(header) * 1000
  const known = Number.isNaN(delay) ? Date.parse(header) - Date.now() : delay
  return Number.isNaN(known) ? undefined : Math.max(0, known)
}
