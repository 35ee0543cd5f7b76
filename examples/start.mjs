// What `npm start` runs: installs, builds, starts the example server and the pages, or with --once drives one long call to its end.
// `npm run dev` is the same from the sources.
import { existsSync } from 'node:fs'
import { install, pnpm } from '../.ci/install.mjs'
import { startDevelopment } from './development.mjs'
import { isLeaving, keep, leave, onLeave, path, run, step } from './processes.mjs'
import { builtPages, servePage } from './serve-page.mjs'
import { startServer } from './start-server.mjs'
import { printAddresses } from './words.mjs'

const host = path('mcp-app/dist/host')
const flags = process.argv.slice(2)
const has = (flag) => flags.includes(flag)
// `npm start --once` without the `--` in between keeps the flag to itself.
if (process.env.npm_config_once && !has('--once')) flags.push('--once')
const unknown = flags.filter((flag) => !['--once', '--inspect', '--built', '--dev'].includes(flag))
if (unknown.length > 0 || (has('--inspect') && !has('--once')) || (has('--dev') && has('--once'))) {
  console.error('Usage: npm start                       keeps the page and the example server running')
  console.error('       npm start -- --once             drives one long call and ends')
  console.error('       npm start -- --once --inspect   also prints the inspection events of the chart')
  console.error('       npm start -- --built            leaves out installing and building')
  console.error('       npm run dev                     from the sources: changes show at once, jobs survive a restart')
  process.exit(2)
}

if (!has('--built')) {
  const options = { output: 2, onStart: keep }
  await step(install(options), 'Installing failed: see above; the npm registry must be reachable once.')
  const build = has('--dev') ? ['--filter', '@mcp-task-machine/example-server...', 'run', 'build'] : ['run', 'build']
  await step(pnpm(build, options), 'The build failed: see above.')
} else if (![path('server/dist/main.js'), host, ...Object.values(builtPages)].every(existsSync)) {
  console.error('Nothing is built yet: run `npm start` once without --built.')
  leave(1)
}

if (isLeaving()) {
  // Nothing more to do.
} else if (has('--dev')) {
  await startDevelopment({ isBuilt: has('--built') })
} else {
  const url = await startServer([], () => false).listening
  if (has('--once')) {
    const own = flags.filter((flag) => flag === '--inspect')
    const client = run('node/dist/main.js', [url, ...own], { stdio: ['ignore', 'inherit', 'inherit'] })
    client.on('exit', (code) => leave(code ?? 1))
  } else {
    const where = { server: url, port: Number(process.env.PAGE_PORT ?? 3000) }
    const page = await servePage({ pages: builtPages, ...where })
    onLeave(page.close)
    printAddresses(page.url)
    // The next port that is free.
    const app = await servePage({ pages: { '/': host }, showsViews: true, ...where })
    onLeave(app.close)
    console.log(`An MCP App in a small host: ${app.url}`)
    console.log(`The example MCP server runs at ${url} (Ctrl-C ends both).`)
    console.log('Or try, in another terminal:')
    console.log(`  node examples/node/dist/main.js ${url}            one long call, with its progress`)
    console.log(`  node examples/node/dist/main.js ${url} --inspect  the same, with the chart's inspection events`)
  }
}
