import type { JsonObject } from '@mcp-task-machine/core'

interface Common {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly required: boolean
}

/** One of the values that a person may choose. */
export interface Option {
  readonly value: string
  readonly label: string
}

export interface TextField extends Common {
  readonly kind: 'text'
  readonly format: 'email' | 'uri' | 'date' | 'date-time' | null
  readonly minLength: number
  readonly maxLength: number
  readonly pattern: string | null
  readonly initial: string
}

export interface NumberField extends Common {
  readonly kind: 'number'
  readonly whole: boolean
  readonly minimum: number
  readonly maximum: number
  readonly initial: string
}

export interface CheckboxField extends Common {
  readonly kind: 'checkbox'
  readonly initial: boolean
}

export interface ChoiceField extends Common {
  readonly kind: 'choice'
  readonly options: readonly Option[]
  readonly initial: string
}

export interface ChoicesField extends Common {
  readonly kind: 'choices'
  readonly options: readonly Option[]
  readonly minItems: number
  readonly maxItems: number
  readonly initial: readonly string[]
}

/** One question of a form, ready to be drawn. */
export type Field = TextField | NumberField | CheckboxField | ChoiceField | ChoicesField

const formats: readonly unknown[] = ['email', 'uri', 'date', 'date-time']
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null
const text = (value: unknown, otherwise = '') => (typeof value === 'string' ? value : otherwise)
const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise)

/** `minutes_left` and `minutesLeft` as a person writes them, for schemas without titles. */
function readable(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}

/** The options of an enum: titled (`oneOf`, `anyOf` of `const` and `title`), bare, or with the older `enumNames`. */
function optionsOf(schema: JsonObject): readonly Option[] | null {
  const titled = schema['oneOf'] ?? schema['anyOf']
  if (Array.isArray(titled))
    return titled
      .filter(isObject)
      .map((option) => ({ value: text(option['const']), label: text(option['title'], text(option['const'])) }))
  const values = schema['enum']
  if (!Array.isArray(values)) return null
  const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : []
  return values.map((value, at) => ({ value: text(value), label: text(names[at], text(value)) }))
}

function fieldOf(name: string, schema: JsonObject, required: boolean): Field {
  const common = { name, label: text(schema['title'], readable(name)), hint: text(schema['description']), required }
  const given = schema['default']
  const items = schema['items']
  if (schema['type'] === 'array' && isObject(items))
    return {
      ...common,
      kind: 'choices',
      options: optionsOf(items) ?? [],
      minItems: number(schema['minItems'], 0),
      maxItems: number(schema['maxItems'], Infinity),
      initial: Array.isArray(given) ? given.map((value) => text(value)) : [],
    }
  if (schema['type'] === 'boolean') return { ...common, kind: 'checkbox', initial: given === true }
  if (schema['type'] === 'number' || schema['type'] === 'integer')
    return {
      ...common,
      kind: 'number',
      whole: schema['type'] === 'integer',
      minimum: number(schema['minimum'], -Infinity),
      maximum: number(schema['maximum'], Infinity),
      initial: typeof given === 'number' ? String(given) : '',
    }
  const options = optionsOf(schema)
  if (options) return { ...common, kind: 'choice', options, initial: text(given) }
  const format = schema['format']
  return {
    ...common,
    kind: 'text',
    format: formats.includes(format) ? (format as TextField['format']) : null,
    minLength: number(schema['minLength'], 0),
    maxLength: number(schema['maxLength'], Infinity),
    pattern: text(schema['pattern']) || null,
    initial: text(given),
  }
}

/** The questions of a form by MCP's schema of an elicitation: flat, of strings, numbers, booleans and enums. */
export function fieldsOf(schema: unknown): readonly Field[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return []
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(schema['properties'])
    .filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    .map(([name, property]) => fieldOf(name, property, required.includes(name)))
}
