import type { Field, FormValues } from '@mcp-task-machine/example-ui'
import type { Snippet } from 'svelte'

/** What every kind of field is drawn with. */
export interface FieldProps<F extends Field> {
  readonly field: F
  readonly id: string
  readonly described: string | undefined
  readonly isInvalid: boolean
  readonly notes: Snippet
  readonly value: FormValues[string] | undefined
  readonly set: (value: FormValues[string]) => void
}
