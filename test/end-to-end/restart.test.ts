import { createTaskRunner } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endProcesses, startProcess } from '../server/support/server-process.ts'
import { connect, disconnectAll, viewWhere } from './support.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-end-to-end-'))
})
afterAll(async () => {
  await disconnectAll()
  await endProcesses()
  await rm(folder, { recursive: true, force: true })
})

test('a server killed in the middle of a run and started again is followed to the result, over the same connection', async () => {
  const settings = { POLL_INTERVAL_MS: '100' }
  const killed = await startProcess(['--data', folder], settings)
  const url = new URL(killed.url)
  const runner = createTaskRunner({
    connection: fromClient(await connect(url)),
    tool: 'start_research',
    minPollInterval: 100,
    maxPollFailures: 2,
  })
  await runner.fire({ query: 'rivers', seconds: 3, sections: 12 })
  const before = await viewWhere(runner, ({ progress }) => progress?.message === 'Reading 3 of 12')
  await killed.end('SIGKILL')

  // Nobody answers: trouble, not failure. The id is kept.
  const lost = await viewWhere(runner, ({ phase }) => phase === 'detached')
  expect(lost).toMatchObject({
    detachedBecause: 'unreachable',
    error: { kind: 'unreachable', retryable: true },
    task: { taskId: before.task?.taskId },
  })

  await startProcess(['--data', folder, '--port', url.port], settings)
  await runner.resume()
  const result = await runner.result()
  expect(result).toMatchObject({ data: { query: 'rivers', interruptions: 1 } })
  expect(runner.getSnapshot()).toMatchObject({ phase: 'completed', attempt: 1, error: null })
  runner.dispose()
})
