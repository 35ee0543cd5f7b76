import { augmented } from '@mcp-task-machine/core'
import { expect, test } from 'vitest'
import { legacyKinds } from './support/clients.ts'
import { cleanUp, describePairs } from './support/pairs.ts'
import { programs } from './support/programs.ts'
import { run } from './support/runs.ts'
import { describeCounterpart } from './support/counterpart.ts'

cleanUp()

const count = (mark: number) => ({ to: 5, ms: 200 + mark })

const both = { stdio: programs.mcpFrameworkOverStdio, http: programs.mcpFrameworkOverHttp }

describeCounterpart('mcp-framework', {
  programs: both,
  kinds: legacyKinds,
  work: { tool: 'count', args: count, result: () => '{"counted":5}' },
  endless: { tool: 'count', args: (mark) => ({ to: 1, ms: 1_000_000 + mark }) },
  forbidden: { tool: 'shout', args: (mark) => ({ text: `hello ${mark}` }), result: (mark) => `HELLO ${mark}` },
  canCancel: true,
  canList: true,
  ttl: () => 'kept',
  elsewhere: (way) =>
    way === 'http'
      ? { phase: 'completed', result: { data: { counted: 5 } } }
      : // The process of another client does not know the task, and says so with the code of any failure.
        { phase: 'detached', detachedBecause: 'unreachable', error: { code: -32603 } },
})

const { stdio } = both
describePairs(
  'a tool that leaves it to the caller, of mcp-framework',
  { stdio },
  ['SDK 1.x', 'SDK 2.x'],
  ({ here }) => {
    test('becomes a task when the caller says so', async () => {
      const protocol = augmented({ ttl: 90_000, when: ({ to }) => Number(to) > 1 })
      const calls = (args: object) =>
        here()
          .wire.sent('tools/call', { arguments: args })
          .map(({ params }) => params.task)
      const small = { to: 1, ms: 11 }
      const quick = await run(here(), 'count', { protocol }).fire(small)
      expect(quick.task).toEqual({ taskId: null, status: 'completed' })
      expect(calls(small)).toEqual([undefined])

      const large = { to: 2, ms: 12 }
      const slow = await run(here(), 'count', { protocol }).fire(large)
      expect(slow.task).toMatchObject({ taskId: expect.any(String), ttl: 90_000 })
      expect(calls(large)).toEqual([{ ttl: 90_000 }])
      expect(await slow.result()).toMatchObject({ data: { counted: 2 } })
    })

    test('a tool that allows no tasks is refused by a protocol that demands one', async () => {
      const runner = run(here(), 'shout', { protocol: augmented() })
      await expect(runner.fire({ text: 'unheard' })).rejects.toMatchObject({ kind: 'unsupported' })
      expect(here().wire.sent('tools/call', { name: 'shout', arguments: { text: 'unheard' } })).toEqual([])
    })
  },
)
