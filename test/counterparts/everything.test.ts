import { listTasks, plain } from '@mcp-task-machine/core'
import { expect, test } from 'vitest'
import { legacyKinds } from './support/clients.ts'
import { cleanUp, describePairs } from './support/pairs.ts'
import { programs } from './support/programs.ts'
import { follow, run, textOf, viewWhere } from './support/runs.ts'
import type { Json } from './support/wire.ts'
import { describeCounterpart } from './support/counterpart.ts'

cleanUp()

const research = { tool: 'simulate-research-query', args: (mark: number) => ({ topic: `tides ${mark}` }) }

const both = { stdio: programs.everythingOverStdio, http: programs.everythingOverHttp }

describeCounterpart('server-everything', {
  programs: both,
  kinds: legacyKinds,
  work: {
    ...research,
    says: /^(Analyzing content|Generating report)/,
    result: (mark) => `# Research Report: tides ${mark}`,
  },
  endless: research,
  ask: {
    tool: research.tool,
    args: (mark) => ({ topic: `python ${mark}`, ambiguous: true }),
    accept: { interpretation: 'snake' },
    accepted: (mark) => `# Research Report: python ${mark} (snake)`,
    declined: (mark) => `# Research Report: python ${mark} (User declined - using default interpretation)`,
  },
  forbidden: {
    tool: 'echo',
    args: (mark) => ({ message: `hello ${mark}` }),
    result: (mark) => `Echo: hello ${mark}`,
  },
  required: { ...research, error: { kind: 'unsupported' } },
  canCancel: true,
  canList: true,
  ttl: () => 300_000,
  // Each session, or process, has tasks of its own.
  elsewhere: () => ({ phase: 'expired', error: { kind: 'expired' } }),
})

describePairs('the long operation of server-everything', both, ['SDK 1.x', 'SDK 2.x'], ({ here }) => {
  const tool = 'trigger-long-running-operation'

  test('a call without a task shows its progress', async () => {
    const runner = run(here(), tool)
    const { phases, progress } = follow(runner)
    const handle = await runner.fire({ duration: 1, steps: 5 })
    expect(handle.task).toEqual({ taskId: null, status: 'completed' })
    expect(textOf(await handle.result())).toContain('Duration: 1 seconds, Steps: 5')
    expect(phases).toEqual(['submitting', 'completed'])
    // The last step may be overtaken by the answer.
    expect(progress.slice(0, 4)).toEqual([20, 40, 60, 80])
    expect(here().wire.sent('tools/call', { arguments: { duration: 1, steps: 5 } })).toHaveLength(1)
  })

  test('cancelling it aborts the call, and claims no more than that', async () => {
    const runner = run(here(), tool, { protocol: plain() })
    const { phases } = follow(runner)
    const fired = runner.fire({ duration: 600, steps: 6000 })
    fired.catch(() => {})
    await viewWhere(runner, ({ progress }) => progress !== null)
    await runner.cancel()
    await expect(fired).rejects.toMatchObject({ kind: 'cancelled' })
    expect(runner.getSnapshot()).toMatchObject({ phase: 'cancelled', confirmed: false, canRetry: true })
    expect(phases).toEqual(['submitting', 'cancelling', 'cancelled'])
    const [call] = here().wire.sent('tools/call', { arguments: { duration: 600, steps: 6000 } })
    expect(here().wire.sent('notifications/cancelled', { requestId: call!['id'] })).toHaveLength(1)
    expect(here().wire.sent('tasks/cancel')).toEqual([])
  })
})

describePairs(
  'the list of server-everything',
  { http: programs.everythingOverHttp },
  ['SDK 1.x', 'SDK 2.x'],
  ({ here }) => {
    test('goes over pages', async () => {
      const { connection } = here()
      const created: string[] = []
      for (let count = 0; count < 12; count++) {
        const call = { name: research.tool, arguments: research.args(count), task: {} }
        const answer: Json = await connection.request('tools/call', call)
        created.push(answer['task'].taskId)
      }
      const first = await listTasks(connection)
      const second = await listTasks(connection, first.nextCursor)
      const listed = [...first.tasks, ...second.tasks].map(({ taskId }) => taskId)
      expect(listed).toEqual(created)
      expect([first.tasks.length, second.nextCursor]).toEqual([10, undefined])
    })
  },
)
