import { expect, test } from 'vitest'
import { cleanUp, describePairs } from './support/pairs.ts'
import { mainFile } from '../server/support/server-process.ts'
import { run, viewWhere } from './support/runs.ts'
import { describeCounterpart, type Counterpart } from './support/counterpart.ts'

cleanUp()
const example = {
  file: mainFile(),
  env: { DATABASE_URL: '', DATA_DIR: '', POLL_INTERVAL_MS: '100', WORKERS: '8' },
}
const stdio = { ...example, args: ['stdio', '--fixtures'] }
const http = { ...example, args: ['http', '--port', '0', '--fixtures'] }
const modern = 'SDK 2.x, 2026-07-28'
const overHttp = { programs: { http }, kinds: ['SDK 1.x', 'SDK 2.x', modern] } as const
// Its 2026-07-28 half over stdio is driven in test/end-to-end; each process is a database of its own.
const overStdio = { programs: { stdio }, kinds: ['SDK 1.x'] } as const

const research: Omit<Counterpart, 'programs' | 'kinds'> = {
  work: {
    tool: 'start_research',
    args: (mark) => ({ query: `tides ${mark}`, seconds: 0.8, sections: 4 }),
    says: /^Reading/,
    result: (mark) => `tides ${mark}`,
  },
  endless: { tool: 'start_research', args: (mark) => ({ query: `tides ${mark}`, seconds: 600 }) },
  ask: {
    tool: 'confirm_delete',
    args: (mark) => ({ filename: `file-${mark}` }),
    accept: { confirm: true },
    accepted: (mark) => `file-${mark} deleted.`,
    declined: (mark) => `file-${mark} kept.`,
  },
  forbidden: { tool: 'greet', args: (mark) => ({ name: `Ada ${mark}` }), result: (mark) => `Hello, Ada ${mark}!` },
  required: { tool: 'confirm_delete', args: (mark) => ({ filename: `${mark}` }), error: { kind: 'unsupported' } },
  canCancel: true,
  canList: true,
  ttl: (isModern) => (isModern ? 3_600_000 : 'kept'),
  elsewhere: (way) => (way === 'http' ? { phase: 'completed', error: null } : { phase: 'expired' }),
}

describeCounterpart('the example server', { ...research, ...overHttp })
describeCounterpart('the example server', { ...research, ...overStdio })

describePairs('the questions of the example server', overHttp.programs, overHttp.kinds, ({ here }) => {
  test('are asked one after the other, and the result knows the answers', async () => {
    const runner = run(here(), 'book_trip')
    await runner.fire({ destination: 'Turku', seconds: 0.2 })
    const answers = [{ flight: 'late', email: 'ada@example.com' }, { confirm: true }]
    const seen = new Set<string>()
    for (const content of answers) {
      const { inputRequests } = await viewWhere(runner, (view) =>
        Object.keys(view.inputRequests).some((key) => !seen.has(key)),
      )
      const key = Object.keys(inputRequests).find((asked) => !seen.has(asked))!
      seen.add(key)
      await runner.respond({ [key]: { action: 'accept', content } })
    }
    expect(await runner.result()).toMatchObject({ data: { destination: 'Turku', flight: 'late' } })
    expect(here().wire.sent('tools/call', { name: 'book_trip' })).toHaveLength(1)
  })
})
