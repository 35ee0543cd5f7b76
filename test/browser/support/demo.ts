import { existsSync } from 'node:fs'
import { builtPages, servePage } from '../../../examples/serve-page.mjs'
import { endProcesses, startProcess } from '../../server/support/server-process.ts'

// Quick to read and to recover, so that a test waits for the page and not for the server.
const QUICK = { POLL_INTERVAL_MS: '250', UPKEEP_MS: '300', LEASE_MS: '1500' }

/** The built pages and an MCP server of their own. */
export async function startDemo(args: readonly string[] = []) {
  const missing = Object.values(builtPages).filter((folder) => !existsSync(`${folder}/index.html`))
  if (missing.length > 0) throw new Error(`Not built: ${missing.join(', ')}. Run \`pnpm build\` first.`)
  const server = await startProcess(args, QUICK)
  const web = await servePage({ pages: builtPages, server: server.url, port: 0 })
  return {
    page: web.url,
    server,
    /** Starts the server anew at the same address. */
    restart: () => startProcess([...args, '--port', new URL(server.url).port], QUICK),
    async stop() {
      web.close()
      await endProcesses()
    },
  }
}
