import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { connect, disconnectAll, run } from '../end-to-end/support.ts'
import { mainFile } from '../server/support/server-process.ts'
import { closePages, openPage } from './support/browser.ts'
import { frameworks } from './support/frameworks.ts'

const launcher = fileURLToPath(new URL('../../examples/start.mjs', import.meta.url))
const running = new Set<ChildProcess>()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-dev-'))
})
afterAll(async () => {
  await closePages()
  await disconnectAll()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  const exits = [...running].map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(exits)
})

/** Starts what `npm start` runs; installing and building is what the test command has done already. */
function start(flags: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [launcher, '--built', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATA_DIR: '', DATABASE_URL: '', NO_COLOR: '1', FORCE_COLOR: '0', ...env },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  child.stderr.on('data', (chunk) => (said += chunk))
  return {
    child,
    async printed(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(said)
        if (found) return found[1]!
        if (child.exitCode !== null) throw new Error(`It ended before it printed ${String(pattern)}: ${said}`)
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
      }
    },
  }
}

/** Listens anywhere, and says where. */
async function occupiedPort(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return String((server.address() as AddressInfo).port)
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

test('npm start serves the page beside the server, on other ports where those are taken, and ends it on Ctrl-C', async () => {
  const others = [createServer(), createServer()] as const
  const [PORT, PAGE_PORT] = await Promise.all(others.map(occupiedPort))
  const { child, printed } = start([], { PORT: PORT!, PAGE_PORT: PAGE_PORT! })
  const url = await printed(/Open (http:\S+) for the research panel/)
  const { page, panel } = await openPage({ url })
  await panel.start('Research a question', { 'Seconds of work': '0' })
  await panel.says('Finished')
  await page.close()
  const exit = once(child, 'exit')
  child.kill('SIGINT')
  expect((await exit)[0]).toBe(130)
  expect(await answers(url)).toBe(false)
  for (const other of others) other.close()
})

test('npm run dev serves the pages from their sources; the server starts anew with changed code and keeps its jobs', async () => {
  const other = createServer()
  const { child, printed } = start(['--dev'], { PORT: '0', PAGE_PORT: await occupiedPort(other), DATA_DIR: folder })
  const server = await printed(/server runs at (http:\S+)/)
  const runner = run(await connect(new URL(server)), 'start_research')
  await runner.fire({ query: 'Still there?', seconds: 600 })
  const url = await printed(/Open (http:\S+) for the research panel/)
  for (const [, path] of frameworks) {
    const { page, panel, errors } = await openPage({ url: url + path })
    await panel.button('Start').waitFor()
    expect(errors).toEqual([])
    await page.close()
  }
  const { page } = await openPage({ url: `${url}side-by-side/` })
  for (const [name] of frameworks)
    await page.frameLocator(`iframe[title="${name}"]`).getByRole('button', { name: 'Start' }).waitFor()
  await page.close()

  const now = new Date()
  await utimes(mainFile(), now, now)
  await printed(/(runs again)/)
  await runner.refresh()
  expect(runner.getSnapshot()).toMatchObject({ phase: 'working', error: null })
  runner.dispose()
  const exit = once(child, 'exit')
  child.kill('SIGINT')
  expect((await exit)[0]).toBe(130)
  expect(await answers(url)).toBe(false)
  other.close()
})
