import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PRELOAD = new URL('./preload.mjs', import.meta.url).href
const running = new Set<ChildProcess>()

/** A server program as Node runs it. */
export interface Program {
  readonly file: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** It mixes up its clients, so that each needs a server of its own. */
  readonly serves?: 'one'
}

const beside = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const sdkExample = (name: string) =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/sdk/examples/server/${name}.js`))
const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

/** Every program asks for any free port, where it has one. */
export const programs = {
  everythingOverStdio: { file: everything, args: ['stdio'] },
  everythingOverHttp: { file: everything, args: ['streamableHttp'], env: { PORT: '0' } },
  sdkHttp: {
    file: sdkExample('simpleStreamableHttp'),
    env: { MCP_PORT: '0' },
  },
  sdkInteractive: {
    file: sdkExample('simpleTaskInteractive'),
    env: { PORT: '0' },
  },
  mcpFrameworkOverStdio: { file: beside('mcp-framework/main.mjs'), args: ['stdio'] },
  mcpFrameworkOverHttp: { file: beside('mcp-framework/main.mjs'), args: ['http'], serves: 'one' },
  twoGenerationsOverStdio: { file: beside('fixtures/two-generations.mjs'), args: ['stdio'] },
  twoGenerationsOverHttp: { file: beside('fixtures/two-generations.mjs'), args: ['http'] },
  naive: { file: beside('fixtures/two-generations.mjs'), args: ['http', 'naive'] },
} satisfies Record<string, Program>

export interface Started {
  readonly url: URL
  readonly child: ChildProcess
  /** Resolves with the exit code once the process has ended. */
  readonly ended: Promise<number | null>
}

/** Starts a server that serves Streamable HTTP at `/mcp`; resolves once it listens. */
export async function startProgram({ file, args = [], env = {} }: Program): Promise<Started> {
  const child = spawn(process.execPath, ['--import', PRELOAD, file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  running.add(child)
  let errors = ''
  child.stderr!.on('data', (chunk) => (errors = `${errors}${chunk}`.slice(-4000)))
  const ended = once(child, 'exit').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  const port = await Promise.race([
    once(child, 'message').then(([message]) => (message as { port: number }).port),
    ended.then((code) => {
      throw new Error(`${file} ended with code ${code} before it listened: ${errors}`)
    }),
  ])
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), child, ended }
}

const shared = new Map<Program, Promise<Started>>()

/** The address of a server that all tests of a file share, where it can. */
export async function urlOf(program: Program): Promise<URL> {
  if (program.serves === 'one') return (await startProgram(program)).url
  if (!shared.has(program)) shared.set(program, startProgram(program))
  return (await shared.get(program)!).url
}

/** Ends what a test file has started. */
export async function endPrograms(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      return exit
    }),
  )
}
