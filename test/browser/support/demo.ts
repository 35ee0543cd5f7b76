import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { servePage } from '../../../examples/serve-page.mjs'
import { endProcesses, startProcess } from '../../server/support/server-process.ts'

const BUILT = fileURLToPath(new URL('../../../examples/react/dist', import.meta.url))
// Quick to read and to recover, so that a test waits for the page and not for the server.
const QUICK = { POLL_INTERVAL_MS: '250', UPKEEP_MS: '300', LEASE_MS: '1500' }

/** The built page and an MCP server of its own. */
export async function startDemo(args: readonly string[] = []) {
  if (!existsSync(`${BUILT}/index.html`)) throw new Error('examples/react is not built: run `pnpm build` first.')
  const server = await startProcess(args, QUICK)
  const web = await servePage({ folder: BUILT, server: server.url, port: 0 })
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
