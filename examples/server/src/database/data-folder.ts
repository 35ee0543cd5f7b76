import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Takes a data folder for this process; a second server on the same folder would destroy it. Resolves with a way to leave it. */
export async function takeFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'server.pid')
  for (;;) {
    try {
      const handle = await open(file, 'wx')
      await handle.writeFile(String(process.pid))
      await handle.close()
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => ''))
    // Our own number is that of a killed server whose number came round again, as in a restarted container.
    if (owner !== process.pid && isAlive(owner))
      throw new Error(`The data folder ${folder} is in use by the server with process id ${owner}.`)
    await rm(file, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
