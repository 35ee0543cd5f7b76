import { describedBy, type Field, type FormValues } from '@mcp-task-machine/example-ui'
import { useId, type ReactNode } from 'react'
import { InputField } from './input-field.tsx'
import { OptionsField } from './options-field.tsx'

interface Props {
  readonly fields: readonly Field[]
  readonly values: FormValues
  readonly problems: Readonly<Record<string, string>>
  readonly set: (name: string, value: FormValues[string]) => void
}

/** The questions of a form, each with its hint and with what is wrong with the answer. */
export function FormFields({ fields, values, problems, set }: Props) {
  const form = useId()
  return (
    <div className="fields">
      {fields.map((field) => {
        const id = `${form}-${field.name}`
        const problem = problems[field.name]
        const common = {
          id,
          described: describedBy(id, field, problem),
          isInvalid: problem !== undefined,
          notes: <Notes id={id} hint={field.hint} problem={problem} />,
          value: values[field.name],
          set: (value: FormValues[string]) => set(field.name, value),
        }
        return field.kind === 'choice' || field.kind === 'choices' ? (
          <OptionsField key={field.name} field={field} {...common} />
        ) : (
          <InputField key={field.name} field={field} {...common} />
        )
      })}
    </div>
  )
}

/** What every kind of field is drawn with. */
export interface FieldProps<F extends Field> {
  readonly field: F
  readonly id: string
  readonly described: string | undefined
  readonly isInvalid: boolean
  readonly notes: ReactNode
  readonly value: FormValues[string] | undefined
  readonly set: (value: FormValues[string]) => void
}

function Notes({ id, hint, problem }: { id: string; hint: string; problem: string | undefined }) {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className="muted">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className="field-problem">
          {problem}
        </p>
      )}
    </>
  )
}

/** The label of a field. */
export function Label({ field }: { field: Field }) {
  return (
    <>
      {field.label} {!field.required && field.kind !== 'checkbox' && <small>(optional)</small>}
    </>
  )
}
