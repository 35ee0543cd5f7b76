import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endProcesses, startProcess } from '../server/support/server-process.ts'
import { Proxy } from './proxy.ts'

/** ms; up to four processes start one after another, two of them with a database. */
const SLOWEST = 120_000
const settings = { POLL_INTERVAL_MS: '100' }
let folder: string
let proxy: Proxy
let url: string
const clients = new Set<ChildProcess>()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-two-processes-'))
  proxy = new Proxy()
  url = await proxy.listen()
})
afterEach(async () => {
  for (const child of clients) child.kill('SIGKILL')
  proxy.close()
  await endProcesses()
  await rm(folder, { recursive: true, force: true })
})

const kept = () => join(folder, 'reference.json')

async function startServer() {
  const server = await startProcess(['--data', join(folder, 'data')], settings)
  proxy.target = server.url
  return server
}

const scripts = {
  first: new URL('./two-processes/first.mjs', import.meta.url),
  second: new URL('./two-processes/second.mjs', import.meta.url),
}

/** Runs one of the two scripts; its first line, its end, and a way to kill it. */
function start(script: keyof typeof scripts, mode: string, way: string) {
  const child = spawn(process.execPath, [fileURLToPath(scripts[script]), url, mode, kept(), way], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  clients.add(child)
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  const ended = once(child, 'close').then(([code, signal]) => {
    clients.delete(child)
    return { code, signal, errors }
  })
  const line = Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    ended.then(({ code }) => {
      throw new Error(`${script}.mjs ended with code ${code} and said nothing: ${errors}`)
    }),
  ])
  return { line, ended, kill: () => child.kill('SIGKILL') }
}

/** What begins a connection, or a subscription, which goes out beside the first read and may overtake it. */
const greetings = ['initialize', 'notifications/initialized', 'server/discover', 'subscriptions/listen']

/** What a process that goes on asks of the server first. */
const firstRequest = (methods: readonly string[]) => methods.find((method) => !greetings.includes(method))

const generations = [
  { generation: '2026-07-28', mode: 'auto', protocol: 'extension' },
  { generation: '2025-11-25', mode: 'legacy', protocol: 'augmented' },
]

describe.each(generations)('a task of $generation', ({ mode, protocol }) => {
  test.each(['detach', 'storage'])(
    'outlives its server and the process that began it, which left its reference by %s',
    async (way) => {
      const server = await startServer()
      const first = start('first', mode, way)
      expect(await first.line).toBe('under way')
      if (way === 'storage') first.kill()
      const { signal, code, errors } = await first.ended
      expect([signal, code, errors]).toEqual(way === 'storage' ? ['SIGKILL', null, ''] : [null, 0, ''])
      await server.end('SIGKILL')
      const reference = JSON.parse(await readFile(kept(), 'utf8'))
      expect(reference).toMatchObject({ version: 1, protocol, tool: 'start_research', taskId: expect.any(String) })
      expect(proxy.methods.filter((method) => method === 'tools/call')).toHaveLength(1)

      await startServer()
      const before = proxy.methods.length
      const second = start('second', mode, way)
      expect(JSON.parse(await second.line)).toEqual({
        phase: 'completed',
        attempt: 1,
        detachedBecause: null,
        error: null,
        // The server was killed in the midst of it, and did the work once.
        data: expect.objectContaining({ query: 'rivers', sections: 16, interruptions: 1 }),
        reference: null,
      })
      expect(await second.ended).toEqual({ code: 0, signal: null, errors: '' })
      const later = proxy.methods.slice(before)
      expect(firstRequest(later)).toBe('tasks/get')
      expect(later).not.toContain('tools/call')
      // The file goes with the run, where the runner keeps it.
      expect(existsSync(kept())).toBe(way === 'detach')
    },
    SLOWEST,
  )

  test(
    'whose handle never arrived is lost to the next process, which does not call the tool again',
    async () => {
      await startServer()
      const answered = proxy.keepAnswer('tools/call')
      const first = start('first', mode, 'storage')
      await Promise.race([answered, first.line])
      first.kill()
      await first.ended
      expect(JSON.parse(await readFile(kept(), 'utf8'))).toMatchObject({ tool: 'start_research', taskId: null })

      const before = proxy.methods.length
      const second = start('second', mode, 'storage')
      expect(JSON.parse(await second.line)).toMatchObject({
        phase: 'detached',
        detachedBecause: 'lost',
        error: { kind: 'lost' },
        reference: { taskId: null },
      })
      expect(firstRequest(proxy.methods.slice(before))).toBeUndefined()
    },
    SLOWEST,
  )
})
