// What `npm start` runs: installs, builds, starts the example server, and with --once drives one long call to its end.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { install, pnpm } from '../.ci/install.mjs'

const flags = process.argv.slice(2)
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

/** Ends all that was started, and then this process. */
function leave(code) {
  if (leaving) return
  leaving = true
  process.exitCode = code
  for (const child of running) child.kill('SIGTERM')
  setTimeout(() => {
    for (const child of running) child.kill('SIGKILL')
  }, 5000).unref()
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => leave(signal === 'SIGINT' ? 130 : 143))
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a script of ours. In its own process group: Ctrl-C reaches this process, which ends the others in order. */
function run(script, args, stdio) {
  const child = spawn(process.execPath, [path(script), ...args], { stdio, detached: process.platform !== 'win32' })
  running.add(child)
  child.on('exit', () => running.delete(child))
  child.on('error', (error) => {
    console.error(`${script} could not be started: ${error.message}`)
    leave(1)
  })
  return child
}

if (!flags.includes('--built')) {
  install(2)
  if (pnpm(['run', 'build'], 2) !== 0) {
    console.error('The build failed: see above.')
    process.exit(1)
  }
}

const server = run('server/dist/main.js', ['http'], ['ignore', 'pipe', 'inherit'])
server.on('exit', (code) => {
  if (leaving) return
  console.error(`The example server ended by itself (exit code ${code}).`)
  leave(1)
})

for await (const line of createInterface(server.stdout)) {
  const url = /^listening on (\S+)$/.exec(line)?.[1]
  if (!url) continue
  if (flags.includes('--once')) {
    const client = run(
      'node/dist/main.js',
      [url, ...flags.filter((flag) => flag === '--inspect')],
      ['ignore', 'inherit', 'inherit'],
    )
    client.on('exit', (code) => leave(code ?? 1))
  } else {
    console.log(`The example MCP server runs at ${url} (Ctrl-C ends it).`)
    console.log('Try next, in another terminal:')
    console.log(`  node examples/node/dist/main.js ${url}            one long call, with its progress`)
    console.log(`  node examples/node/dist/main.js ${url} --inspect  the same, with the chart's inspection events`)
  }
}
