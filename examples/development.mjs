// Development: Vite serves the pages from their sources, and the server starts anew when its code has changed. Its jobs are in a folder.
import { watch } from 'node:fs'
import { end, isLeaving, leave, onLeave, path, run } from './processes.mjs'
import { startServer } from './start-server.mjs'

// A compiler writes many files at once.
const QUIET_MS = 300

/** Starts it all; `isBuilt` leaves out compiling the server's changes. */
export async function startDevelopment({ isBuilt }) {
  const data = process.env.DATA_DIR || path('.data')
  let current
  let outdated
  const start = (...more) => {
    const { child, listening } = startServer(['--data', data, ...more], () => {
      if (child === outdated) void startAgain()
      else {
        current = undefined
        console.error('The example MCP server ended by itself; it starts again when its code changes.')
      }
      return true
    })
    current = child
    return listening
  }
  const url = await start()
  const startAgain = async () => {
    await start('--port', new URL(url).port)
    console.log('The example MCP server runs again.')
  }
  console.log(`The example MCP server runs at ${url} and keeps its jobs in ${data} (Ctrl-C ends all).`)

  let quiet
  const watcher = watch(path('server/dist'), { recursive: true }, () => {
    clearTimeout(quiet)
    quiet = setTimeout(() => {
      outdated = current
      if (current) end(current, 'SIGTERM')
      else void startAgain()
    }, QUIET_MS)
  })
  onLeave(() => {
    clearTimeout(quiet)
    watcher.close()
  })

  const stdio = ['ignore', 'inherit', 'inherit']
  if (!isBuilt) {
    const compile = ['-p', path('server/tsconfig.build.json'), '--watch', '--preserveWatchOutput']
    run('server/node_modules/typescript/bin/tsc', compile, { stdio })
  }
  const env = { ...process.env, MCP_URL: url }
  const pages = run('serve-sources.mjs', [], { stdio, env })
  pages.on('exit', (code, signal) => {
    if (isLeaving()) return
    console.error(`The pages are served no longer (${signal ?? `exit code ${code}`}).`)
    leave(1)
  })
}
