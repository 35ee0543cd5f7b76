import { fileURLToPath } from 'node:url'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTaskRunner, jobTools, type JsonObject, type TaskReference } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

// A job server that answers in prose: a pid is the id, and a wait that times out is an error that says "running".
const file = fileURLToPath(import.meta.resolve('bash-command-mcp'))

let folder: string
let client: Client
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bash-command-mcp-'))
  client = new Client({ name: 'test', version: '1.0.0' })
  const env = { ...process.env, OTEL_ENABLED: 'false', BASH_COMMAND_MCP_LOG_DIR: folder } as Record<string, string>
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [file], env, stderr: 'ignore' }))
})
afterAll(async () => {
  await client.close()
  await rm(folder, { recursive: true, force: true })
})

const textOf = (raw: JsonObject) => (raw['content'] as { text: string }[])[0]!.text
const word = (name: string) => (raw: JsonObject) => new RegExp(`^${name}: (.+)$`, 'm').exec(textOf(raw))?.[1]

/** How it says what; `exited` is said of any end, so that the exit code decides. */
const read = {
  id: word('PID'),
  status: (raw: JsonObject) => {
    const status = word('STATUS')(raw)
    return status === 'exited' && word('EXIT_CODE')(raw) !== '0' ? 'failed' : status
  },
  result: (raw: JsonObject) => /STDOUT(?:_TAIL)?:\n(.*)/.exec(textOf(raw))?.[1],
  error: (raw: JsonObject) => `exit code ${word('EXIT_CODE')(raw)}`,
}
const words = { exited: 'completed', killed: 'cancelled' } as const

/** A runner that somebody watches. @param status the tool that is asked how the job stands */
function start(status: 'tail_background' | 'wait_background') {
  const connection = fromClient(client)
  const idArgument = (pid: string) => ({ pid: Number(pid), ...(status === 'wait_background' && { timeoutSeconds: 1 }) })
  const protocol = jobTools({ start: 'run_background', status, cancel: 'kill_background', idArgument, read, words })
  const runner = createTaskRunner({
    connection,
    tool: 'run_background',
    protocol,
    pollInterval: 100,
    minPollInterval: 50,
  })
  const phases: string[] = []
  const stop = runner.subscribe(() => phases.push(runner.getSnapshot().phase))
  return { runner, phases, view: () => runner.getSnapshot(), end: () => (stop(), runner.dispose()) }
}

describe.each(['tail_background', 'wait_background'] as const)('asked with %s', (status) => {
  test('a command ends with what it has said', async () => {
    const { runner, view, end } = start(status)
    await runner.fire({ command: 'sleep 0.3; echo tides' })
    expect(view()).toMatchObject({
      phase: 'working',
      job: { word: 'running' },
      task: { taskId: expect.stringMatching(/^\d+$/) },
    })
    expect(await runner.result()).toMatchObject({ data: 'tides' })
    expect(view()).toMatchObject({ phase: 'completed', attempt: 1 })
    end()
  })

  test('a command that fails has failed, and is no lost job', async () => {
    const { runner, view, end } = start(status)
    await runner.fire({ command: 'sleep 0.3; exit 3' })
    await expect(runner.result()).rejects.toMatchObject({ kind: 'tool', message: 'exit code 3' })
    expect(view().phase).toBe('failed')
    end()
  })

  test('a cancel is confirmed once the command is killed', async () => {
    const { runner, view, phases, end } = start(status)
    await runner.fire({ command: 'sleep 60' })
    await runner.cancel()
    await vi.waitFor(() => expect(view()).toMatchObject({ phase: 'cancelled', confirmed: true }), 5000)
    expect(phases).not.toContain('failed')
    end()
  })

  test('a pid that nobody knows is a job that is gone', async () => {
    const { runner, view, end } = start(status)
    await runner.fire({ command: 'sleep 60' })
    const reference = { ...runner.reference!, taskId: '99999999' } as TaskReference
    await runner.cancel()
    await runner.resume(reference)
    await vi.waitFor(() => expect(view()).toMatchObject({ phase: 'expired', error: { kind: 'expired' } }), 10_000)
    end()
  })
})

test('a wait that times out again and again is no lost job: it is waited for to its end', async () => {
  const { runner, view, phases, end } = start('wait_background')
  // Four waits of a second each: more errors than a lost job is granted.
  await runner.fire({ command: 'sleep 4.5; echo tides' })
  expect(await runner.result()).toMatchObject({ data: 'tides' })
  expect(view().phase).toBe('completed')
  expect(new Set(phases)).toEqual(new Set(['submitting', 'working', 'completed']))
  end()
}, 20_000)
