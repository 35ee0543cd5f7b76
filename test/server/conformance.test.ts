import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endProcesses, startProcess } from './support/server-process.ts'

// The runner is a tool of the example server's package.
const SERVER_PACKAGE = new URL('../../examples/server/', import.meta.url)
const RUNNER = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', SERVER_PACKAGE))
const GLOB_SYNC = new URL('./support/glob-sync.mjs', import.meta.url).href

/** The official scenarios for the tasks extension, with the number of checks in each. */
const SCENARIOS = [
  ['tasks-lifecycle', 9],
  ['tasks-capability-negotiation', 5],
  ['tasks-wire-fields', 4],
  ['tasks-request-state-removal', 3],
  ['tasks-mrtr-input', 4],
  ['tasks-request-headers', 5],
  ['tasks-dispatch-and-envelope', 9],
  ['tasks-required-task-error', 3],
  ['tasks-mrtr-composition', 2],
] as const

let url: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  url = (await startProcess(['--fixtures'])).url
})
afterAll(async () => {
  await endProcesses()
  await rm(folder, { recursive: true, force: true })
})

function run(scenario: string): Promise<{ code: number; output: string }> {
  const runner = ['--import', GLOB_SYNC, RUNNER, 'server']
  const options = ['--url', url, '--scenario', scenario, '--spec-version', '2026-07-28', '--force']
  return new Promise((resolve) => {
    execFile(process.execPath, [...runner, ...options], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stripVTControlCharacters(`${stdout}${stderr}`) })
    })
  })
}

describe('the official conformance runner', () => {
  test.concurrent.each(SCENARIOS)('%s passes all its %i checks', async (scenario, checks) => {
    const { code, output } = await run(scenario)
    expect(output).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`)
    expect(output).not.toContain('SKIPPED')
    expect(code).toBe(0)
  })

  // The scenario is a stub: it always reports one SKIPPED check, since the runner does not read
  // `subscriptions/listen` yet. What it would check is tested in tasks.test.ts.
  test.concurrent('tasks-status-notifications has nothing to check yet, and finds no fault', async () => {
    const { code, output } = await run('tasks-status-notifications')
    expect(output).toMatch(/\[tasks-status-notifications\s*\] SKIPPED/)
    expect(output).toContain('Passed: 0/0, 0 failed, 0 warnings')
    expect(code).toBe(0)
  })
})
