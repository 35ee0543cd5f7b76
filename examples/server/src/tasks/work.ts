import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../json.ts'
import { RunEnded } from './errors.ts'
import type { Step } from './store.ts'
import type { InputAnswers, InputRequests } from './task.ts'

/** What a tool is given to do its work with. It knows no protocol, no queue and no database. */
export interface Work {
  readonly args: JsonObject
  /** What the tool last saved, when it goes on after an interruption or an answer. */
  readonly checkpoint: JsonObject | null
  /** How often the work was interrupted. */
  readonly interruptions: number
  /** 1, and one more for each retry. */
  readonly attempt: number
  /** When this attempt was accepted. */
  readonly acceptedAt: Date
  /** Aborted when the work must end. */
  readonly signal: AbortSignal
  /** Says where the work is, keeps the checkpoint, and ends the run when a cancel is wished. */
  step(step: Step): Promise<void>
  /** Waits, but no longer than the work may go on. */
  pause(ms: number): Promise<void>
  /**
   * All answers so far, these questions' among them. Without those the run ends here and begins anew once they are there:
   * what is done before must be done already according to the checkpoint.
   */
  ask(message: string, requests: InputRequests): Promise<InputAnswers>
}

/** Waits until the time is over or the signal ends it, with the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await delay(ms, undefined, { signal }).catch(() => {})
  signal.throwIfAborted()
}

/** Work within the request itself: nothing is kept, nobody can be asked. */
export function workOutright(args: JsonObject, answers: InputAnswers, signal: AbortSignal): Work {
  return {
    args,
    checkpoint: null,
    interruptions: 0,
    attempt: 1,
    acceptedAt: new Date(),
    signal,
    step: async () => signal.throwIfAborted(),
    pause: (ms) => pause(ms, signal),
    async ask(_message, requests) {
      if (Object.keys(requests).every((key) => answers[key])) return answers
      throw new RunEnded('waiting')
    },
  }
}
