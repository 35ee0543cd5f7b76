import type { JsonObject } from '@mcp-task-machine/core'
import { answers, type Prompt } from '@mcp-task-machine/example-ui'
import type { ReactNode } from 'react'
import { FormFields } from '../../react/src/form-fields.tsx'
import { useForm } from '../../react/src/use-form.ts'

interface Props {
  readonly prompt: Prompt
  readonly server: string | null
  readonly openLink: (url: string) => void
  readonly onAnswer: (answer: JsonObject) => void
}

/** Something that the server wants to know before it goes on. */
export function PromptCard({ prompt, server, openLink, onAnswer }: Props) {
  return (
    <section className="prompt" aria-label="Question">
      <div>
        <p className="muted">Asked by {server ?? 'the server'}</p>
        <h2>{prompt.message || 'The server needs an answer.'}</h2>
      </div>
      {prompt.kind === 'form' && <FormPrompt prompt={prompt} onAnswer={onAnswer} />}
      {prompt.kind === 'address' && (
        <>
          <p className="address">{prompt.address.href}</p>
          <Decline onAnswer={onAnswer}>
            <button
              type="button"
              className="button"
              data-kind="first"
              onClick={() => {
                openLink(prompt.address.href)
                onAnswer(answers.accept())
              }}
            >
              Open
            </button>
          </Decline>
        </>
      )}
      {prompt.kind === 'unknown' && <Decline onAnswer={onAnswer} />}
    </section>
  )
}

type Answering = Pick<Props, 'onAnswer'>

function FormPrompt({ prompt, onAnswer }: Answering & { readonly prompt: Extract<Prompt, { kind: 'form' }> }) {
  const { form, submit, ...rest } = useForm(prompt.fields, (content) => onAnswer(answers.accept(content)))
  return (
    <form className="form" ref={form} noValidate onSubmit={submit}>
      <FormFields {...rest} />
      <Decline onAnswer={onAnswer}>
        <button type="submit" className="button" data-kind="first">
          Send answer
        </button>
      </Decline>
    </form>
  )
}

function Decline({ onAnswer, children }: Answering & { readonly children?: ReactNode }) {
  return (
    <div className="actions">
      {children}
      <button type="button" className="button" onClick={() => onAnswer(answers.decline)}>
        Decline
      </button>
    </div>
  )
}
