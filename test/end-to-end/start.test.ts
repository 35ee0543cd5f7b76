import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { mainFile } from '../server/support/server-process.ts'

const launcher = fileURLToPath(new URL('../../examples/start.mjs', import.meta.url))
const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts what `npm start` runs; installing and building is what the test command has done already. */
function start(...flags: string[]) {
  mainFile()
  const child = spawn(process.execPath, [launcher, '--built', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PORT: '0', DATA_DIR: '', DATABASE_URL: '' },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (output.out += chunk))
  child.stderr.on('data', (chunk) => (output.err += chunk))
  return {
    child,
    output,
    ended: once(child, 'close').then(([code]) => code as number | null),
    async printed(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output.out)
        if (found) return found
        await once(child.stdout, 'data')
      }
    },
  }
}

/** Whether something still listens there. */
const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

test('--once drives one long call, gives up waiting, resumes, prints the result and exits 0', async () => {
  const { ended, output } = start('--once')
  expect(await ended).toBe(0)
  expect(output.out).toContain('working: Reading')
  expect(output.out).toContain('detached (timeout)')
  expect(output.out).toContain('Resuming.')
  expect(output.out).toContain('# What moves the tides?')
})

test('--once --inspect prints the events of a real run, and nothing of the user in them', async () => {
  const { ended, output } = start('--once', '--inspect')
  expect(await ended).toBe(0)
  const lines = output.err.split('\n').filter((line) => line.startsWith('[inspect]'))
  for (const part of ['@xstate.event', '@xstate.snapshot', 'fire', 'poll.news', '"watching"', '"completed"'])
    expect(lines.join('\n')).toContain(part)
  expect(lines.join('\n')).not.toContain('tides')
})

test('without --once the server keeps running; Ctrl-C ends it all', async () => {
  const { child, printed, ended } = start()
  const [, url] = await printed(/runs at (http:\S+)/)
  await printed(/examples\/node\/dist\/main\.js/)
  expect(await answers(url!)).toBe(true)
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(await answers(url!)).toBe(false)
})

test('killed outright, it leaves no server behind', async () => {
  const { child, printed } = start()
  const [, url] = await printed(/runs at (http:\S+)/)
  child.kill('SIGKILL')
  while (await answers(url!)) await new Promise((resolve) => setTimeout(resolve, 50))
})

test('a server that goes away during --once ends with exit code 1 and a sentence', async () => {
  const busy = createServer((_, response) => response.writeHead(503).end())
  await once(busy.listen(0, '127.0.0.1'), 'listening')
  const { port } = busy.address() as AddressInfo
  const client = spawn(process.execPath, [
    fileURLToPath(new URL('../../examples/node/dist/main.js', import.meta.url)),
    `http://127.0.0.1:${port}/mcp`,
  ])
  running.add(client)
  let said = ''
  client.stdout.on('data', (chunk) => (said += chunk))
  client.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(client, 'close')
  busy.close()
  expect(code).toBe(1)
  expect(said).toContain('The call failed:')
})

test('an unknown flag is refused with the usage', async () => {
  const { ended, output } = start('--twice')
  expect(await ended).toBe(2)
  expect(output.err).toContain('npm start -- --once')
})
