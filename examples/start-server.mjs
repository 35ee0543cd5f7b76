import { createInterface } from 'node:readline'
import { isLeaving, leave, run } from './processes.mjs'

/**
 * Starts the example server. That it ends by itself ends everything, unless `onEnd` returns true.
 * @param {string[]} args
 * @param {() => boolean} onEnd
 * @returns {{ child: import('node:child_process').ChildProcess, listening: Promise<string> }} `listening` gives its URL
 */
export function startServer(args, onEnd) {
  // Its input stays open as long as this process lives, however it ends.
  const child = run('server/dist/main.js', ['http', '--with-stdin', ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.on('exit', (code, signal) => {
    if (isLeaving() || onEnd()) return
    console.error(`The example server ended by itself (${signal ?? `exit code ${code}`}).`)
    leave(1)
  })
  const listening = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^listening on (\S+)$/.exec(line)?.[1]
      if (url) resolve(url)
    })
  })
  return { child, listening }
}
