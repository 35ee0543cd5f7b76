// Installs the workspace with the pnpm that package.json pins, wherever npm is: no pnpm, no corepack needed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/**
 * Runs the pinned pnpm in the workspace root; its output goes to `output` ('inherit', or 2 for stderr).
 * @returns {number} the exit code
 */
export function pnpm(args, output = 'inherit') {
  const { status, error } = spawnSync('npx', ['--yes', packageManager, ...args], {
    cwd: root,
    stdio: ['ignore', output, output],
    shell: process.platform === 'win32',
  })
  if (error) console.error(`npx could not be started (${error.message}): it comes with Node ≥ 20.19 and npm.`)
  return status ?? 1
}

/** Installs exactly what the lockfile says; ends the process with a sentence if that fails. */
export function install(output) {
  const code = pnpm(['install', '--frozen-lockfile', '--reporter', 'append-only'], output)
  if (code !== 0) {
    console.error('Installing the dependencies failed: see above; the npm registry must be reachable once.')
    process.exit(code)
  }
}
