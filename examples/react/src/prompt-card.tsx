import type { JsonObject } from '@mcp-task-machine/core'
import { answers, type Prompt } from '@mcp-task-machine/example-ui'
import { useId, type ReactNode, type Ref } from 'react'
import { FormFields } from './form-fields.tsx'
import { useForm } from './use-form.ts'

interface Props {
  readonly prompt: Prompt
  readonly server: string | null
  /** What was answered before, if it is asked again. */
  readonly given: JsonObject | undefined
  readonly onAnswer: (answer: JsonObject) => void
  readonly ref?: Ref<HTMLElement> | undefined
}

/** Something that the server wants to know before it goes on. */
export function PromptCard({ prompt, server, given, onAnswer, ref }: Props) {
  const heading = useId()
  return (
    <section className="prompt" aria-labelledby={heading} tabIndex={-1} ref={ref}>
      <div>
        <p className="muted">{server ? `Asked by ${server}` : 'Asked by the server'}</p>
        <h4 id={heading}>{prompt.message || 'The server needs an answer.'}</h4>
      </div>
      {prompt.kind === 'form' && <FormPrompt prompt={prompt} given={given} onAnswer={onAnswer} />}
      {prompt.kind === 'address' && <AddressPrompt prompt={prompt} onAnswer={onAnswer} />}
      {prompt.kind === 'unknown' && (
        <>
          <p>This page cannot answer that. You can refuse, or cancel the run.</p>
          <Refusals onAnswer={onAnswer} />
        </>
      )}
    </section>
  )
}

type Kind<K extends Prompt['kind'], More extends keyof Props = never> = Pick<Props, 'onAnswer' | More> & {
  readonly prompt: Extract<Prompt, { kind: K }>
}

function FormPrompt({ prompt, given, onAnswer }: Kind<'form', 'given'>) {
  const { form, submit, ...rest } = useForm(prompt.fields, (content) => onAnswer(answers.accept(content)), given)
  return (
    <form className="form" ref={form} noValidate onSubmit={submit}>
      {prompt.fields.length > 0 && <FormFields {...rest} />}
      <Refusals onAnswer={onAnswer}>
        <button type="submit" className="button" data-kind="first">
          Send answer
        </button>
      </Refusals>
    </form>
  )
}

function AddressPrompt({ prompt, onAnswer }: Kind<'address'>) {
  const { href, before, host, after } = prompt.address
  const open = () => {
    window.open(href, '_blank', 'noopener,noreferrer')
    onAnswer(answers.accept())
  }
  return (
    <>
      <p>The server asks you to visit this address. Open it only if you know the name in bold.</p>
      <p className="address">
        {before}
        <strong>{host}</strong>
        {after}
      </p>
      <Refusals onAnswer={onAnswer}>
        <button type="button" className="button" data-kind="first" onClick={open}>
          Open in a new tab
        </button>
      </Refusals>
    </>
  )
}

/** The two ways to say no: to this question, or without a word about it. */
function Refusals({ onAnswer, children }: Pick<Props, 'onAnswer'> & { readonly children?: ReactNode }) {
  return (
    <div className="actions">
      {children}
      <button type="button" className="button" onClick={() => onAnswer(answers.decline)}>
        Decline
      </button>
      <button type="button" className="button" data-kind="plain" onClick={() => onAnswer(answers.cancel)}>
        Dismiss
      </button>
    </div>
  )
}
