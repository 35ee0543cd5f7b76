import type { JsonObject } from '../../task.ts'
import { mapValues } from '../../wire/json.ts'
import { newsOf } from '../heard.ts'
import { write } from './moment.ts'

/** Questions of the server, and the answers. */
export function promptActions() {
  return {
    recordRound: write(({ context, event }) => {
      const { prompts = {}, requestState, protocol } = newsOf(event) ?? {}
      return {
        inputRequests: prompts,
        answered: {},
        requestState,
        rounds: context.rounds + 1,
        protocol: protocol ?? null,
      }
    }),
    recordAnswers: write(({ context, event }) => {
      const { answers } = event as unknown as { answers: Readonly<Record<string, JsonObject>> }
      const given = mapValues(context.inputRequests, (request, key) =>
        Object.hasOwn(answers, key) ? { request, answer: answers[key]!, sent: false } : undefined,
      )
      return {
        answered: { ...context.answered, ...given },
        inputRequests: mapValues(context.inputRequests, (request, key) =>
          Object.hasOwn(given, key) ? undefined : request,
        ),
        error: null,
      }
    }),
    markSent: write(({ context, event }) => {
      const sent = new Set((event as unknown as { output: { keys: readonly string[] } }).output.keys)
      return {
        answered: mapValues(context.answered, (answer, key) => (sent.has(key) ? { ...answer, sent: true } : answer)),
      }
    }),
    /** An answer could not be delivered: its prompt is open again. */
    reopenPrompts: write(({ context }) => ({
      inputRequests: {
        ...context.inputRequests,
        ...mapValues(context.answered, ({ request, sent }) => (sent ? undefined : request)),
      },
      answered: mapValues(context.answered, (answer) => (answer.sent ? answer : undefined)),
    })),
    refuseInput: write(() => ({ refusedInput: true })),
  }
}
