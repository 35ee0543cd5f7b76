import { legacyKinds } from './support/clients.ts'
import { cleanUp } from './support/pairs.ts'
import { programs } from './support/programs.ts'
import { describeCounterpart } from './support/counterpart.ts'

cleanUp()

describeCounterpart('a server on the low-level SDK 2.x', {
  programs: { stdio: programs.twoGenerationsOverStdio, http: programs.twoGenerationsOverHttp },
  kinds: [...legacyKinds, 'SDK 2.x, 2026-07-28'],
  work: {
    tool: 'work',
    args: (mark) => ({ steps: 4, ms: 250, says: `worked ${mark}` }),
    says: /^Step [234] of 4$/,
    result: (mark) => `worked ${mark}`,
  },
  endless: { tool: 'work', args: (mark) => ({ ms: 1_000_000 + mark }) },
  forbidden: { tool: 'echo', args: (mark) => ({ mark }), result: (mark) => `{"mark":${mark},"asked":false}` },
  canCancel: true,
  canList: true,
  ttl: () => 'kept',
  elsewhere: (way) =>
    way === 'http' ? { phase: 'completed', error: null } : { phase: 'expired', error: { kind: 'expired' } },
})
