import type { JsonObject } from '@mcp-task-machine/core'
import type { ChoicesField, Field, NumberField, TextField } from './fields.ts'

/** What stands in a form's inputs, by the field's name. */
export type FormValues = Readonly<Record<string, string | boolean | readonly string[]>>

/** A form as it was read: what to send, and what to say where it does not fit. */
export interface FormReading {
  readonly content: JsonObject
  /** By the field's name; empty when all is well. */
  readonly problems: Readonly<Record<string, string>>
}

/** What a form starts with: `given` (an earlier reading's content) before the schema's defaults. */
export function initialValues(fields: readonly Field[], given: JsonObject = {}): FormValues {
  return Object.fromEntries(
    fields.map((field) => {
      const value = given[field.name]
      if (value === undefined) return [field.name, field.initial]
      return [field.name, field.kind === 'number' ? String(value) : (value as string | boolean | readonly string[])]
    }),
  )
}

/** Reads a form: an empty optional field is left out of the content. */
export function readForm(fields: readonly Field[], values: FormValues): FormReading {
  const content: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const { value, problem } = readField(field, values[field.name])
    if (problem) problems[field.name] = problem
    else if (value !== undefined) content[field.name] = value
  }
  return { content, problems }
}

interface Reading {
  readonly value?: unknown
  readonly problem?: string | undefined
}

function readField(field: Field, given: FormValues[string] | undefined): Reading {
  if (field.kind === 'checkbox') return { value: given === true }
  if (field.kind === 'choices') return readChoices(field, Array.isArray(given) ? given : [])
  const text = typeof given === 'string' ? given : ''
  if (text.trim() === '') return field.required ? { problem: emptyProblem(field) } : {}
  if (field.kind === 'number') return readNumber(field, text)
  if (field.kind === 'choice') return { value: text }
  return readText(field, text)
}

function emptyProblem(field: Field): string {
  return field.kind === 'choice' ? 'Choose one of these.' : 'Fill this in.'
}

function readChoices({ required, minItems, maxItems }: ChoicesField, chosen: readonly string[]): Reading {
  if (chosen.length === 0 && !required) return {}
  const least = Math.max(minItems, required ? 1 : 0)
  if (chosen.length < least) return { problem: `Choose at least ${least}.` }
  if (chosen.length > maxItems) return { problem: `Choose at most ${maxItems}.` }
  return { value: chosen }
}

function readNumber({ whole, minimum, maximum }: NumberField, text: string): Reading {
  const value = Number(text)
  if (!Number.isFinite(value)) return { problem: 'Enter a number.' }
  if (whole && !Number.isInteger(value)) return { problem: 'Enter a whole number.' }
  if (value >= minimum && value <= maximum) return { value }
  if (minimum === -Infinity) return { problem: `Enter ${maximum} or less.` }
  if (maximum === Infinity) return { problem: `Enter ${minimum} or more.` }
  return { problem: `Enter a number from ${minimum} to ${maximum}.` }
}

function readText(field: TextField, text: string): Reading {
  const { format, minLength, maxLength, pattern } = field
  // As JSON Schema counts: by code points.
  const { length } = [...text]
  if (length < minLength) return { problem: `Enter at least ${count(minLength, 'character')}.` }
  if (length > maxLength) return { problem: `Enter at most ${count(maxLength, 'character')}; these are ${length}.` }
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text))
    return { problem: 'Enter an e-mail address, like name@example.com.' }
  if (format === 'uri' && !URL.canParse(text)) return { problem: 'Enter a full address, like https://example.com.' }
  if (format === 'date' && Number.isNaN(Date.parse(text))) return { problem: 'Enter a date.' }
  if (format === 'date-time') {
    // What the input gives is local time without a zone; what the schema wants has one.
    const at = new Date(text)
    return Number.isNaN(at.getTime()) ? { problem: 'Enter a date and a time.' } : { value: at.toISOString() }
  }
  if (pattern !== null && !fits(text, pattern)) return { problem: `This must look like ${pattern}.` }
  return { value: text }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    // A pattern of another dialect: the server will say.
    return true
  }
}
