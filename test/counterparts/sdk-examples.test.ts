import { legacyKinds } from './support/clients.ts'
import { cleanUp } from './support/pairs.ts'
import { programs } from './support/programs.ts'
import { describeCounterpart } from './support/counterpart.ts'

cleanUp()

const delay = (mark: number) => ({ duration: 1000 + mark })

describeCounterpart('the simple server of SDK 1.x', {
  programs: { http: programs.sdkHttp },
  kinds: legacyKinds,
  work: { tool: 'delay', args: delay, result: (mark) => `Completed ${1000 + mark}ms delay` },
  endless: { tool: 'delay', args: (mark) => ({ duration: 1_000_000 + mark }) },
  forbidden: { tool: 'greet', args: (mark) => ({ name: `Ada ${mark}` }), result: (mark) => `Hello, Ada ${mark}!` },
  required: { tool: 'delay', args: delay, error: { kind: 'unsupported' } },
  canCancel: false,
  canList: false,
  ttl: () => 'kept',
  elsewhere: () => ({ phase: 'expired', error: { kind: 'expired' } }),
})
