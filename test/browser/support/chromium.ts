import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const HOW =
  'This test needs Chromium: install the package `chromium` (`apt-get install chromium`), or set CHROMIUM to the path of a Chrome or Chromium.'

/** The path of a Chromium, installed if need be and possible. */
export async function findChromium(): Promise<string> {
  const path = onPath() ?? (await install())
  if (!path) throw new Error(HOW)
  return path
}

function onPath(): string | undefined {
  const given = process.env['CHROMIUM']
  if (given) return existsSync(given) ? given : undefined
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(':')]
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((file) => existsSync(file))
}

async function install(): Promise<string | undefined> {
  if (process.env['CHROMIUM'] || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await run('apt-get', ['update', '-q'], { env })
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], { env })
  } catch (error) {
    throw new Error(HOW, { cause: error })
  }
  return onPath()
}
