import { parseArgs } from 'node:util'
import { DEFAULT_SETTINGS, settingsFromEnv } from './settings.ts'
import { startParts } from './start-parts.ts'
import { startServer } from './start-server.ts'
import { serveStdio } from './transports/stdio.ts'

const USAGE = `Usage: node dist/main.js http [--port N] [--host H] [--data DIR] [--fixtures] [--with-stdin]
       node dist/main.js stdio [--data DIR] [--fixtures]

Tasks are kept in --data DIR (or DATA_DIR), in PostgreSQL by DATABASE_URL, else in memory. --with-stdin ends the server with its input,
for whoever starts it. See the README for more settings.`
const LONGEST_GOODBYE_MS = 5000

const log = (line: string) => console.error(line)

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: process.env['PORT'] || '3333' },
      host: { type: 'string', default: process.env['HOST'] || '127.0.0.1' },
      data: { type: 'string', default: process.env['DATA_DIR'] || 'memory' },
      fixtures: { type: 'boolean', default: false },
      'with-stdin': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const settings = { ...DEFAULT_SETTINGS, ...settingsFromEnv(process.env), ...(values.fixtures && { fixtures: true }) }
  const choice = { dataDir: values.data, databaseUrl: process.env['DATABASE_URL'] }
  if (values.help) {
    console.log(USAGE)
  } else if (positionals[0] === 'http') {
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 0 || port > 65535)
      throw new Error(`--port or PORT must be a port, not "${values.port}".`)
    const server = await startServer({ ...settings, ...choice, port, host: values.host, log })
    const leave = closeOnSignal(() => server.close())
    if (values['with-stdin']) process.stdin.on('end', leave).resume()
    console.log(`listening on ${server.url}`)
  } else if (positionals[0] === 'stdio') {
    const parts = await startParts(choice, settings, log)
    const stdio = serveStdio(parts, log)
    const close = async () => {
      await stdio.close()
      await parts.engine.close()
    }
    const leave = closeOnSignal(close)
    await stdio.ended
    leave()
  } else {
    throw new Error(USAGE)
  }
}

/** Closes at the first signal and ends the process; a second signal, or a close that hangs, ends it at once. */
function closeOnSignal(close: () => Promise<void>): () => void {
  let leaving = false
  const leave = () => {
    if (leaving) process.exit(1)
    leaving = true
    setTimeout(() => process.exit(1), LONGEST_GOODBYE_MS).unref()
    close().then(
      () => process.exit(0),
      (error: Error) => {
        log(error.message)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', leave)
  process.on('SIGTERM', leave)
  return leave
}

main().catch((error: Error) => {
  log(error.message)
  process.exit(1)
})
