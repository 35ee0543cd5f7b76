import type { Transport } from './types.ts'

/**
 * A stable identity of what a transport leads to, for references: origin and path of a URL, without credentials and query; for a
 * child process its command with a hash of its arguments, which may hold secrets (SEC-1); `undefined` where neither can be told.
 */
export function endpointOf({ _url, _serverParams }: Transport): string | undefined {
  if (_url) {
    const { origin, pathname } = new URL(_url)
    return origin + pathname
  }
  if (_serverParams) return `stdio:${_serverParams.command}#${hash(JSON.stringify(_serverParams.args ?? []))}`
  return undefined
}

/** 32 bits: enough to tell command lines or sessions apart, too few to tell what they say. */
export function hash(text: string): string {
  let value = 7
  for (const char of text) value = Math.imul(value, 31) + char.codePointAt(0)!
  return (value >>> 0).toString(36)
}
