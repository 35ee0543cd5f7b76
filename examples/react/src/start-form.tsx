import type { JsonObject } from '@mcp-task-machine/core'
import { fieldsOf, jobOf, jobs, type Run } from '@mcp-task-machine/example-ui'
import { useMemo } from 'react'
import { FormFields } from './form-fields.tsx'
import { useForm } from './use-form.ts'

interface Props {
  readonly run: Run
  readonly onChange: (change: { readonly tool: string; readonly args: null }) => void
  readonly onStart: (args: JsonObject) => void
  readonly onRemove: () => void
}

/** Which job to run, and with what. */
export function StartForm({ run, onChange, onStart, onRemove }: Props) {
  const { id, tool, args } = run
  const fields = useMemo(() => fieldsOf(jobOf(tool).schema), [tool])
  const { form, submit, ...rest } = useForm(fields, onStart, args)
  return (
    <form className="form" ref={form} noValidate onSubmit={submit}>
      <fieldset className="tiles">
        <legend>Job</legend>
        {jobs.map((job) => (
          <label key={job.tool} className="tile">
            <input
              type="radio"
              name={`${id}-job`}
              aria-labelledby={`${id}-${job.tool}`}
              aria-describedby={`${id}-${job.tool}-lead`}
              checked={job.tool === tool}
              onChange={() => onChange({ tool: job.tool, args: null })}
            />
            <span id={`${id}-${job.tool}`} className="title">
              {job.title}
            </span>
            <span id={`${id}-${job.tool}-lead`} className="muted">
              {job.lead}
            </span>
          </label>
        ))}
      </fieldset>
      <FormFields {...rest} />
      <div className="actions">
        <button type="submit" className="button" data-kind="first">
          Start
        </button>
        <button type="button" className="button" data-kind="plain" onClick={onRemove}>
          Remove
        </button>
      </div>
    </form>
  )
}
