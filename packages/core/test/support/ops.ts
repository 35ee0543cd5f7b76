import fc from 'fast-check'
import type { TaskOptions } from '../../src/index.ts'
import { promptKeys, says, type Say } from './says.ts'

export type Op =
  | { readonly do: 'answer'; readonly which: number; readonly say: Say }
  | { readonly do: 'push'; readonly say: Say; readonly older: boolean }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'respond'; readonly keys: readonly string[] }
  | { readonly do: 'result'; readonly abort: boolean }
  | { readonly do: 'progress'; readonly value: number }
  | { readonly do: 'adopt'; readonly say: Say }
  /** The server asks in a request of its own, about a task of ours, about nothing in particular, or about a stranger's. */
  | { readonly do: 'ask'; readonly about: 'own' | 'none' | 'foreign'; readonly text: number }
  /** The server takes its request back. */
  | { readonly do: 'withdraw'; readonly which: number }
  /** The user answers so many of the open prompts, whatever their keys are. */
  | { readonly do: 'answerOpen'; readonly count: number }
  | {
      readonly do:
        | 'fire'
        | 'cancel'
        | 'retry'
        | 'resume'
        | 'resumeReference'
        | 'refresh'
        | 'detach'
        | 'reset'
        | 'watch'
        | 'unwatch'
        | 'close'
        | 'abort'
    }

const userEvents = [
  'fire',
  'fire',
  'fire',
  'cancel',
  'cancel',
  'retry',
  'resume',
  'resume',
  'resumeReference',
  'refresh',
  'detach',
  'reset',
  'watch',
  'unwatch',
  'close',
  'abort',
] as const

export const ops = (say: fc.Arbitrary<Say> = says()): fc.Arbitrary<Op> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(3), say }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('push' as const), say, older: fc.boolean() }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.constantFrom(1, 249, 250, 999, 1000, 2000, 5000, 29_999, 30_000, 60_000, 600_000),
      }),
    },
    { weight: 7, arbitrary: fc.record({ do: fc.constantFrom(...userEvents) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('respond' as const), keys: fc.subarray(promptKeys) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('result' as const), abort: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('progress' as const), value: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('adopt' as const), say }) },
  )

export type Options = Partial<Omit<TaskOptions, 'connection' | 'tool'>>

export const optionSets: fc.Arbitrary<Options> = fc.record(
  {
    whenBusy: fc.constantFrom('replace', 'reject', 'queue'),
    onUnmount: fc.constantFrom('rest', 'cancel', 'keep'),
    onInputRequired: fc.constantFrom('wait', 'cancel'),
    maxWait: fc.constantFrom(10_000, 100_000),
    cancelGrace: fc.constantFrom(5000),
  },
  { requiredKeys: [] },
)

export interface Schedule {
  readonly options: Options
  readonly ops: readonly Op[]
}

/** Random schedules: begun by a call, since nothing much happens without. */
export const schedules = (
  op: fc.Arbitrary<Op> = ops(),
  options: fc.Arbitrary<Options> = optionSets,
): fc.Arbitrary<Schedule> =>
  fc.record({ options, ops: fc.array(op, { minLength: 3, maxLength: 40 }) }).map((schedule) => ({
    ...schedule,
    ops: [{ do: 'watch' }, { do: 'fire' }, ...schedule.ops],
  }))

const begins = new Set(['fire', 'retry', 'resume', 'resumeReference', 'reset', 'adopt'])
/** Whether the user began something new, so that the view may leave a terminal. */
export const beginsAnew = (op: Op): boolean => begins.has(op.do)

/** The same over a server of 2025-11-25, which asks in requests of its own. */
export const askingOps = (say?: fc.Arbitrary<Say>): fc.Arbitrary<Op> =>
  fc.oneof(
    { weight: 12, arbitrary: ops(say) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        about: fc.constantFrom('own', 'own', 'own', 'none', 'foreign'),
        text: fc.nat(1),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), which: fc.nat(3) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('answerOpen' as const), count: fc.integer({ min: 1, max: 2 }) }),
    },
  )
