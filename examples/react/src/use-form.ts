import type { JsonObject } from '@mcp-task-machine/core'
import { initialValues, readForm, type Field, type FormValues } from '@mcp-task-machine/example-ui'
import { useEffect, useRef, useState, type FormEvent } from 'react'

/** What stands in a form, and what is wrong with it once it was sent. `onReady` gets what fits. */
export function useForm(fields: readonly Field[], onReady: (content: JsonObject) => void, given?: JsonObject | null) {
  const [values, setValues] = useState<FormValues>(() => initialValues(fields, given ?? {}))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    if (Object.keys(problems).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const reading = readForm(fields, values)
    setProblems(reading.problems)
    if (Object.keys(reading.problems).length === 0) onReady(reading.content)
  }
  const set = (name: string, value: FormValues[string]) => setValues((now) => ({ ...now, [name]: value }))
  return { form, fields, values, problems, set, submit }
}
