import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
const HOW =
  'This test needs a PostgreSQL server: install the package `postgresql` (`apt-get install postgresql`), or put `initdb` and `postgres` on the PATH.'

/** Starts a PostgreSQL server of its own, in a folder that is deleted with it. */
export async function startPostgres() {
  const bin = (await findBinaries()) ?? (await install())
  const folder = await mkdtemp(join(tmpdir(), 'mcp-postgres-'))
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  if (user) await chown(folder, user.uid, user.gid)
  await chmod(folder, 0o700)
  const identity = user ? { uid: user.uid, gid: user.gid } : {}
  const data = join(folder, 'data')
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'test', '-A', 'trust', '--no-sync'], { ...identity, cwd: folder })

  const port = await freePort()
  // The data is thrown away, so nothing needs to reach the disk.
  const settings = ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-p', String(port), '-k', folder]
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
    ...identity,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines = createInterface({ input: server.stderr })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`PostgreSQL ended before it was ready: ${log}`)))
    lines.on('line', (line) => {
      log += `${line}\n`
      if (line.includes('ready to accept connections')) resolve()
    })
  })
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async stop() {
      const exit = once(server, 'exit')
      server.kill('SIGQUIT')
      await exit
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function findBinaries(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

async function install(): Promise<string> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw new Error(HOW)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await run('apt-get', ['update', '-q'], { env })
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'postgresql'], { env })
  } catch (error) {
    throw new Error(HOW, { cause: error })
  }
  const bin = await findBinaries()
  if (!bin) throw new Error(HOW)
  return bin
}

/** PostgreSQL refuses to run as root. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user) throw new Error(HOW)
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
