import { afterAll, beforeAll, describe } from 'vitest'
import { connect, disconnectAll, type Connected, type Kind } from './clients.ts'
import { endPrograms, urlOf, type Program } from './programs.ts'
import { disposeRunners } from './runs.ts'

/** One server over one transport, with one kind of client. */
export interface Pair {
  readonly way: string
  readonly kind: Kind
  /** The connection that the tests of this pair share. */
  here(): Connected
  /** Another one, to the same server if it has one for all. */
  connectAnew(): Promise<Connected>
}

/** Describes the same for each kind of client over each way to the server; a way is named by its transport, `stdio` or `http`. */
export function describePairs(
  name: string,
  programs: Readonly<Record<string, Program>>,
  kinds: readonly Kind[],
  define: (pair: Pair) => void,
): void {
  const ways = Object.entries(programs).flatMap(([way, program]) => kinds.map((kind) => [way, kind, program] as const))
  describe.concurrent.each(ways)(`${name} over %s with %s`, (way, kind, program) => {
    let target: URL | Program
    let here: Connected
    beforeAll(async () => {
      target = way === 'stdio' ? program : await urlOf(program)
      here = await connect(kind, target)
    })
    define({ way, kind, here: () => here, connectAnew: () => connect(kind, target) })
  })
}

/** Ends everything that a test file has started; to be called once in each. */
export function cleanUp(): void {
  afterAll(async () => {
    disposeRunners()
    await disconnectAll()
    await endPrograms()
  })
}
