import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openPage } from './support/browser.ts'

// The replicas of two hosts that sunpeak offers know no tasks: the view follows its job with the job tools.
const script = fileURLToPath(new URL('../../examples/mcp-app/sunpeak.mjs', import.meta.url))

/** For npm, which may have to fetch it. */
const PATIENCE_MS = 180_000

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

let url: string
let child: ReturnType<typeof spawn>
beforeAll(async () => {
  const port = await freePort()
  child = spawn(process.execPath, [script], {
    env: { ...process.env, PORT: '0', PAGE_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => said.push(String(chunk)))
    createInterface({ input: child.stdout! }).on('line', (line) => {
      // It is coloured where it is told to be, as in CI.
      const plain = stripVTControlCharacters(line)
      said.push(plain)
      if (plain.includes(`:${port}/`)) resolve(`http://127.0.0.1:${port}/`)
    })
    const giveUp = () =>
      reject(new Error(`sunpeak did not start; the npm registry must be reachable once. It said:\n${said.join('\n')}`))
    child.on('exit', giveUp)
    setTimeout(giveUp, PATIENCE_MS).unref()
  })
})
afterAll(async () => {
  await closePages()
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test.each(['ChatGPT', 'Claude'])(
  'in the replica of %s the view takes up the call, follows its job and tells the model',
  async (host) => {
    const { page } = await openPage({ url })
    await page.selectOption('select:has(option:text("Start a report"))', { label: 'Start a report' })
    await page.selectOption(`select:has(option:text("${host}"))`, { label: host })
    await page.getByTestId('tool-input-textarea').fill('{"query":"What moves the tides?"}')
    await page.getByRole('button', { name: 'Run', exact: true }).click()

    const view = page.frameLocator('iframe').frameLocator('iframe')
    await view.getByRole('heading', { name: 'What moves the tides?' }).waitFor()
    await view.getByRole('status').getByText('Finished', { exact: true }).waitFor()
    await view.getByRole('button', { name: 'Open Report: What moves the tides?' }).waitFor()
    const told = await page.getByTestId('app-context-textarea').inputValue()
    expect(JSON.parse(told)).toMatchObject({ status: 'completed', jobStatus: 'succeeded', percent: 100 })
    expect(told).not.toMatch(/logTail|traceId|https?:/)
    await page.screenshot({ path: fileURLToPath(new URL(`shots/sunpeak-${host}.png`, import.meta.url)) })
    await page.context().close()
  },
)
