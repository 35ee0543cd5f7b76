import type { JsonObject } from '@mcp-task-machine/core'
import { initialValues, readForm, type Field, type FormValues } from '@mcp-task-machine/example-ui'
import { nextTick, shallowRef } from 'vue'

/** What stands in a form, and what is wrong with it once it was sent. `onReady` gets what fits. */
export function useForm(fields: readonly Field[], onReady: (content: JsonObject) => void, given?: JsonObject | null) {
  const values = shallowRef<FormValues>(initialValues(fields, given ?? {}))
  const problems = shallowRef<Readonly<Record<string, string>>>({})

  async function submit({ currentTarget }: Event) {
    const form = currentTarget as HTMLFormElement
    const reading = readForm(fields, values.value)
    problems.value = reading.problems
    if (Object.keys(reading.problems).length === 0) return onReady(reading.content)
    await nextTick()
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }
  return { fields, values, problems, submit }
}
