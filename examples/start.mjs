// What `npm start` runs: installs, builds, starts the example server, and with --once drives one long call to its end.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { install, pnpm } from '../.ci/install.mjs'

const flags = process.argv.slice(2)
// `npm start --once` without the `--` in between keeps the flag to itself.
if (process.env.npm_config_once && !flags.includes('--once')) flags.push('--once')
const unknown = flags.filter((flag) => !['--once', '--inspect', '--built'].includes(flag))
if (unknown.length > 0 || (flags.includes('--inspect') && !flags.includes('--once'))) {
  console.error('Usage: npm start                       keeps the example server running')
  console.error('       npm start -- --once             drives one long call and ends')
  console.error('       npm start -- --once --inspect   also prints the inspection events of the chart')
  console.error('       npm start -- --built            leaves out installing and building')
  process.exit(2)
}

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const running = new Set()
let leaving = false

/** Keeps a process, so that it ends with this one. Each is the head of a group: what it starts in turn ends, too. */
function keep(child) {
  running.add(child)
  child.on('exit', () => running.delete(child))
}

function end(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Ends all that was started, and then this process. */
function leave(code) {
  if (leaving) return
  leaving = true
  process.exitCode = code
  clearInterval(watch)
  for (const child of running) end(child, 'SIGTERM')
  setTimeout(() => {
    for (const child of running) end(child, 'SIGKILL')
  }, 5000).unref()
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => leave(signal === 'SIGINT' ? 130 : 143))
process.on('exit', () => {
  for (const child of running) end(child, 'SIGKILL')
})
// npm passes no signal on through its shell: when it is gone, somebody wanted this to end.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) leave(143)
}, 300)

/** Starts a script of ours. */
function run(script, args, stdio) {
  const child = spawn(process.execPath, [path(script), ...args], { stdio, detached: process.platform !== 'win32' })
  keep(child)
  child.on('error', (error) => {
    console.error(`${script} could not be started: ${error.message}`)
    leave(1)
  })
  return child
}

/** Does one thing that has to succeed before the next. */
async function step(work, sentence) {
  const code = leaving ? 1 : await work
  if (code === 0 || leaving) return
  console.error(sentence)
  leave(1)
}

if (!flags.includes('--built')) {
  const options = { output: 2, onStart: keep }
  await step(install(options), 'Installing failed: see above; the npm registry must be reachable once.')
  if (!leaving) await step(pnpm(['run', 'build'], options), 'The build failed: see above.')
} else if (!existsSync(path('server/dist/main.js'))) {
  console.error('Nothing is built yet: run `npm start` once without --built.')
  leave(1)
}

if (!leaving) {
  // Its input stays open as long as this process lives, however it ends.
  const server = run('server/dist/main.js', ['http', '--with-stdin'], ['pipe', 'pipe', 'inherit'])
  server.on('exit', (code, signal) => {
    if (leaving) return
    console.error(`The example server ended by itself (${signal ?? `exit code ${code}`}).`)
    leave(1)
  })

  for await (const line of createInterface(server.stdout)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (!url) continue
    if (flags.includes('--once')) {
      const own = flags.filter((flag) => flag === '--inspect')
      const client = run('node/dist/main.js', [url, ...own], ['ignore', 'inherit', 'inherit'])
      client.on('exit', (code) => leave(code ?? 1))
    } else {
      console.log(`The example MCP server runs at ${url} (Ctrl-C ends it).`)
      console.log('Try next, in another terminal:')
      console.log(`  node examples/node/dist/main.js ${url}            one long call, with its progress`)
      console.log(`  node examples/node/dist/main.js ${url} --inspect  the same, with the chart's inspection events`)
    }
  }
}
