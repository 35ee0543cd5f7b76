// Installs the workspace with the pnpm that package.json pins, wherever npm is: no pnpm, no corepack needed.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/**
 * Runs the pinned pnpm in the workspace root.
 * @param {string[]} args
 * @param {{ output?: 'inherit' | number, onStart?: (child: import('node:child_process').ChildProcess) => void }} [options] where
 *   its output goes (2 for stderr), and who keeps the process, so that a signal can end it
 * @returns {Promise<number>} the exit code
 */
export function pnpm(args, { output = 'inherit', onStart } = {}) {
  return new Promise((resolve) => {
    const child = spawn('npx', ['--yes', packageManager, ...args], {
      cwd: root,
      stdio: ['ignore', output, output],
      shell: process.platform === 'win32',
      detached: onStart !== undefined && process.platform !== 'win32',
      env: { ...process.env, npm_config_update_notifier: 'false', PNPM_CONFIG_UPDATE_NOTIFIER: 'false' },
    })
    child.on('error', (error) => {
      console.error(`npx could not be started (${error.message}): it comes with Node ≥ 20.19 and npm.`)
      resolve(1)
    })
    child.on('exit', (code) => resolve(code ?? 1))
    onStart?.(child)
  })
}

/** Installs exactly what the lockfile says. @returns {Promise<number>} the exit code */
export function install(options) {
  return pnpm(['install', '--frozen-lockfile', '--reporter', 'append-only'], options)
}
