import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../examples/server/dist/main.js', import.meta.url))
const running = new Set<ChildProcess>()

/** The built server's main file. */
export function mainFile(): string {
  if (!existsSync(MAIN)) throw new Error('examples/server is not built: run `pnpm build` first.')
  return MAIN
}

/** Starts the built server in a process of its own. */
export function spawnServer(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, [mainFile(), ...args], {
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** A server over HTTP in a process of its own, once it listens. */
export async function startProcess(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = spawnServer(['http', '--port', '0', ...args], env)
  const errors: string[] = []
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
  const output = createInterface({ input: child.stdout! })
  const first = await Promise.race([
    once(output, 'line').then(([line]) => String(line)),
    once(child, 'exit').then(() => {
      throw new Error(`The server ended before it listened: ${errors.join('')}`)
    }),
  ])
  const url = /^listening on (http:\S+)$/.exec(first)?.[1]
  if (!url) throw new Error(`The first line was not "listening on URL" but "${first}".`)
  return {
    url,
    child,
    /** Sends a signal and resolves with the exit code once the process has ended. */
    async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      const exit = once(child, 'exit')
      child.kill(signal)
      return (await exit)[0] as number | null
    },
  }
}

/** Ends what a failed test may have left running. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      return exit
    }),
  )
}
