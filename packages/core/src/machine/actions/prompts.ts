import type { JsonObject } from '../../task.ts'
import { mapValues } from '../../wire/json.ts'
import { newsOf } from '../heard.ts'
import type { InputRequest } from '../../view.ts'
import type { RuntimeOf } from '../runtime.ts'
import { write, type Moment } from './moment.ts'

/** Questions of the server, and the answers. */
export function promptActions(runtimeOf: RuntimeOf) {
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
    /** The server asks, or withdraws, while the call is open; what was answered is not asked again. */
    recordAsked: write(({ event }) => ({
      inputRequests: (event as unknown as { prompts: Readonly<Record<string, InputRequest>> }).prompts,
    })),
    /** To whom it may concern: the call goes on. */
    answerAsked: ({ event, self }: Moment) => {
      const { answers } = event as unknown as { answers: Readonly<Record<string, JsonObject>> }
      for (const [key, answer] of Object.entries(answers)) runtimeOf(self).submission?.questions.answer(key, answer)
    },
    markSent: write(({ context, event }) => {
      const sent = new Set((event as unknown as { output: { keys: readonly string[] } }).output.keys)
      return {
        answered: mapValues(context.answered, (answer, key) => (sent.has(key) ? { ...answer, sent: true } : answer)),
      }
    }),
    /** Answered elsewhere: not to be asked here. */
    noteAnswered: write(({ context, event }) => {
      const keys = new Set((event as unknown as { keys: readonly string[] }).keys)
      const gone = mapValues(context.inputRequests, (request, key) => (keys.has(key) ? request : undefined))
      return {
        inputRequests: mapValues(context.inputRequests, (request, key) => (keys.has(key) ? undefined : request)),
        answered: { ...context.answered, ...mapValues(gone, (request) => ({ request, answer: {}, sent: true })) },
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
