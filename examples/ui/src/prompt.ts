import type { InputRequest, JsonObject } from '@mcp-task-machine/core'
import { fieldsOf, type Field } from './fields.ts'

/** A web address in the parts it is judged by: whoever owns `host` gets the visit. */
export interface Address {
  readonly href: string
  readonly before: string
  readonly host: string
  readonly after: string
}

/** A question of the server, by how it is shown. */
export type Prompt =
  | { readonly kind: 'form'; readonly key: string; readonly message: string; readonly fields: readonly Field[] }
  | { readonly kind: 'address'; readonly key: string; readonly message: string; readonly address: Address }
  | { readonly kind: 'unknown'; readonly key: string; readonly message: string }

/** What a person answers to a form or an address. */
export const answers = {
  accept: (content?: JsonObject): JsonObject => ({ action: 'accept', ...(content && { content }) }),
  decline: { action: 'decline' } as JsonObject,
  cancel: { action: 'cancel' } as JsonObject,
}

/** Reads what a server asks. An address that is none, or leads elsewhere than to a web page, is not offered. */
export function promptOf({ key, kind, method, params }: InputRequest): Prompt {
  const message = typeof params['message'] === 'string' ? params['message'] : ''
  if (kind !== 'elicitation') return { kind: 'unknown', key, message: `It asks for ${method}.` }
  if (params['mode'] !== 'url') return { kind: 'form', key, message, fields: fieldsOf(params['requestedSchema']) }
  const address = addressIn(params['url'])
  if (!address)
    return { kind: 'unknown', key, message: `${message} It wants an address opened that is no web page.`.trim() }
  return { kind: 'address', key, message, address }
}

function addressIn(value: unknown): Address | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null
  const { href, protocol, host, pathname, search, hash } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  const after = pathname + search + hash
  return { href, before: href.slice(0, href.length - after.length - host.length), host, after }
}
