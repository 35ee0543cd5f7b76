import type { InputRequest } from '../view.ts'
import { isObject, mapValues } from './json.ts'

const kinds: Readonly<Record<string, InputRequest['kind']>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** Reads one request for input; unknown methods are kept as `unsupported` (EXT-INPUT-12), what has no method is none. */
export function readPrompt(key: string, request: unknown, server: string | null): InputRequest | undefined {
  if (!isObject(request) || typeof request['method'] !== 'string') return undefined
  const { method, params } = request
  const kind = Object.hasOwn(kinds, method) ? kinds[method]! : 'unsupported'
  return { key, kind, method, params: isObject(params) ? params : {}, server }
}

/** Reads a map of input requests, without the entries that are none. */
export function readPrompts(raw: unknown, server: string | null): Readonly<Record<string, InputRequest>> {
  return isObject(raw) ? mapValues(raw, (request, key) => readPrompt(key, request, server)) : {}
}

/** Reads the consents that a call of 2025-11-25 wants first, from the `data` of its error -32042 (AUG-INPUT-5). */
export function readElicitations(data: unknown, server: string | null): Readonly<Record<string, InputRequest>> {
  const list = isObject(data) && Array.isArray(data['elicitations']) ? (data['elicitations'] as unknown[]) : []
  const prompts = list.map((params, index) => {
    const id = isObject(params) ? params['elicitationId'] : undefined
    const key = typeof id === 'string' && id !== '' ? id : `elicitation-${index}`
    return [key, readPrompt(key, { method: 'elicitation/create', params }, server)!] as const
  })
  return Object.fromEntries(prompts)
}
