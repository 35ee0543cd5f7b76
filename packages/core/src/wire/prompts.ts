import type { InputRequest } from '../view.ts'
import { isObject, mapValues } from './json.ts'

const kinds: Readonly<Record<string, InputRequest['kind']>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** Reads a map of input requests; entries without a method are dropped, unknown methods are kept as `unsupported` (EXT-INPUT-12). */
export function readPrompts(raw: unknown, server: string | null): Readonly<Record<string, InputRequest>> {
  if (!isObject(raw)) return {}
  return mapValues(raw, (request, key) => {
    if (!isObject(request) || typeof request['method'] !== 'string') return undefined
    const { method, params } = request
    const kind = Object.hasOwn(kinds, method) ? kinds[method]! : 'unsupported'
    return { key, kind, method, params: isObject(params) ? params : {}, server }
  })
}
