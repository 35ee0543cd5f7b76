import type { ChoiceField, ChoicesField, Field, NumberField, TextField } from './fields.ts'
import type { FormValues } from './form.ts'

// More than this are quicker to choose from a list.
const MOST_RADIOS = 5
const types = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

/** The `type` of the input that takes a text or a number. */
export function inputTypeOf(field: TextField | NumberField) {
  if (field.kind === 'number') return 'number'
  return field.format ? types[field.format] : 'text'
}

/** Whether a choice is made from a list. A radio button cannot be let go of again. */
export function isList(field: ChoiceField | ChoicesField): boolean {
  return field.kind === 'choice' && (field.options.length > MOST_RADIOS || !(field.required || field.initial))
}

/** The options that are chosen. */
export function chosenIn(value: FormValues[string] | undefined): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** The field's value once an option was chosen or let go of; several stay in the order of the options. */
export function withOption(
  field: ChoiceField | ChoicesField,
  value: FormValues[string] | undefined,
  option: string,
  isChosen: boolean,
): FormValues[string] {
  if (field.kind === 'choice') return option
  const chosen = chosenIn(value)
  return field.options.map((each) => each.value).filter((each) => (each === option ? isChosen : chosen.includes(each)))
}

/** The ids of what describes a field: `…-hint` and `…-problem`, as far as they are there. */
export function describedBy(id: string, { hint }: Field, problem: string | undefined): string | undefined {
  return [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined
}
