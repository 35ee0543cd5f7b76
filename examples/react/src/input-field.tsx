import { inputTypeOf, type CheckboxField, type NumberField, type TextField } from '@mcp-task-machine/example-ui'
import { Label, type FieldProps } from './form-fields.tsx'

/** A text, a number or a box to tick. */
export function InputField(props: FieldProps<TextField | NumberField | CheckboxField>) {
  const { field, id, described, isInvalid, notes, value, set } = props
  const common = { id, 'aria-describedby': described, 'aria-invalid': isInvalid }
  if (field.kind === 'checkbox')
    return (
      <div className="field" data-kind="text">
        <label className="option" htmlFor={id}>
          <input {...common} type="checkbox" checked={value === true} onChange={(event) => set(event.target.checked)} />
          <span>
            <Label field={field} />
          </span>
        </label>
        {notes}
      </div>
    )
  return (
    <div className="field" data-kind={field.kind}>
      <label className="label" htmlFor={id}>
        <Label field={field} />
      </label>
      <input
        {...common}
        className="input"
        type={inputTypeOf(field)}
        step={field.kind === 'number' && !field.whole ? 'any' : undefined}
        required={field.required}
        value={String(value ?? '')}
        onChange={(event) => set(event.target.value)}
      />
      {notes}
    </div>
  )
}
