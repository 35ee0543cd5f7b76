import { test } from 'vitest'
import type { Kind } from './clients.ts'
import { describePairs } from './pairs.ts'
import type { Program } from './programs.ts'
import { scenarios } from './scenarios.ts'
import type { Json } from './wire.ts'

export interface Call {
  readonly tool: string
  /** `mark` is another number in each run. */
  args(mark: number): Json
}

/** What a server does, for the scenarios that ask it. */
export interface Counterpart {
  /** By transport: `stdio` or `http`. */
  readonly programs: Readonly<Record<string, Program>>
  readonly kinds: readonly Kind[]
  /** Works for a while, may say so, and ends. */
  readonly work: Call & { readonly says?: RegExp; result(mark: number): string }
  /** Works for longer than any test. */
  readonly endless: Call
  /** Asks once. */
  readonly ask?: Call & {
    readonly accept: Json
    accepted(mark: number): string
    declined(mark: number): string
  }
  /** Does not allow tasks. */
  readonly forbidden?: Call & { result(mark: number): string }
  /** Demands a task; how a plain call of it fails. */
  readonly required?: Call & { readonly error: Json }
  readonly canCancel: boolean
  readonly canList: boolean
  /** ms; what becomes of a ttl of two seconds, which a client of 2026-07-28 can only ask for by an argument. */
  ttl(isModern: boolean): 'kept' | number
  /** What another connection sees of a task by its reference. */
  elsewhere(way: string): Json
}

/** ms; some start another server program on the way, one with a database in it. */
const SLOWEST = 150_000

/** Runs every scenario that the server has something to say to, for each client over each transport. */
export function describeCounterpart(name: string, counterpart: Counterpart): void {
  const played = scenarios.filter(({ needs }) => !needs || counterpart[needs])
  describePairs(name, counterpart.programs, counterpart.kinds, (pair) => {
    for (const { title, play } of played) test(title, () => play(counterpart, pair), SLOWEST)
  })
}
