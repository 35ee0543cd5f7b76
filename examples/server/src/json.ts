/** Any JSON object; values are unknown until they are read. */
export type JsonObject = { readonly [key: string]: unknown }

/** Whether a value is a JSON object: not `null`, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
