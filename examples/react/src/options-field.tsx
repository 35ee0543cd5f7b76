import { chosenIn, isList, withOption, type ChoiceField, type ChoicesField } from '@mcp-task-machine/example-ui'
import { Label, type FieldProps } from './form-fields.tsx'

/** One or several of a number of options. */
export function OptionsField(props: FieldProps<ChoiceField | ChoicesField>) {
  const { field, id, described, isInvalid, notes, value, set } = props
  if (isList(field))
    return (
      <div className="field" data-kind="choice">
        <label className="label" htmlFor={id}>
          <Label field={field} />
        </label>
        <select
          id={id}
          className="input"
          aria-describedby={described}
          aria-invalid={isInvalid}
          required={field.required}
          value={String(value ?? '')}
          onChange={(event) => set(event.target.value)}
        >
          <option value="">{field.required ? 'Choose one' : 'No answer'}</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        {notes}
      </div>
    )
  return (
    <fieldset className="field" data-kind={field.kind} aria-describedby={described}>
      <legend>
        <Label field={field} />
      </legend>
      {field.options.map((option) => (
        <label key={option.value} className="option">
          <input
            type={field.kind === 'choice' ? 'radio' : 'checkbox'}
            name={id}
            aria-invalid={isInvalid}
            checked={chosenIn(value).includes(option.value)}
            onChange={(event) => set(withOption(field, value, option.value, event.target.checked))}
          />
          <span>{option.label}</span>
        </label>
      ))}
      {notes}
    </fieldset>
  )
}
