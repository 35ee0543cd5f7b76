import type { JsonObject } from '@mcp-task-machine/core'
import { initialValues, readForm, type Field, type FormValues } from '@mcp-task-machine/example-ui'
import { tick, untrack } from 'svelte'

interface Options {
  readonly fields: readonly Field[]
  /** What the form begins with. */
  readonly given: JsonObject | null | undefined
  /** Gets what fits. */
  readonly onready: (content: JsonObject) => void
}

/** What stands in a form, and what is wrong with it once it was sent. */
export function useForm(options: () => Options) {
  const { fields, given } = untrack(options)
  let values = $state.raw(initialValues(fields, given ?? {}))
  let problems = $state.raw<Readonly<Record<string, string>>>({})

  return {
    fields,
    get values() {
      return values
    },
    get problems() {
      return problems
    },
    set(name: string, value: FormValues[string]) {
      values = { ...values, [name]: value }
    },
    async onsubmit(event: SubmitEvent) {
      event.preventDefault()
      const form = event.currentTarget as HTMLFormElement
      const reading = readForm(fields, values)
      problems = reading.problems
      if (Object.keys(problems).length === 0) return options().onready(reading.content)
      await tick()
      form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    },
  }
}
