import type { ChoiceField, ChoicesField } from '@mcp-task-machine/example-ui'
import { Label, type FieldProps } from './form-fields.tsx'

// More than this are quicker to choose from a list.
const MOST_RADIOS = 5

/** One or several of a number of options. */
export function OptionsField(props: FieldProps<ChoiceField | ChoicesField>) {
  const { field, id, described, isInvalid, notes, value, set } = props
  // A radio button cannot be let go of again.
  const isList = field.kind === 'choice' && (field.options.length > MOST_RADIOS || !(field.required || field.initial))
  if (isList)
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
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [value]
  const choose = (option: string, isChosen: boolean) => {
    if (field.kind === 'choice') set(option)
    else
      set(
        field.options.map((each) => each.value).filter((each) => (each === option ? isChosen : chosen.includes(each))),
      )
  }
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
            checked={chosen.includes(option.value)}
            onChange={(event) => choose(option.value, event.target.checked)}
          />
          <span>{option.label}</span>
        </label>
      ))}
      {notes}
    </fieldset>
  )
}
