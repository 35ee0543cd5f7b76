// Serves the built host page for an MCP server that runs already: node serve.mjs [URL of the server]
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { servePage } from '../serve-page.mjs'

const host = fileURLToPath(new URL('dist/host', import.meta.url))
const server = process.argv[2] ?? 'http://127.0.0.1:3333/mcp'

if (!URL.canParse(server)) {
  console.error('Usage: node serve.mjs [URL of the MCP server]')
  process.exit(2)
}
if (!existsSync(host)) {
  console.error('The host is not built: run `pnpm --filter @mcp-task-machine/example-mcp-app run build` first.')
  process.exit(1)
}
const { url } = await servePage({
  pages: { '/': host },
  server,
  port: Number(process.env.PAGE_PORT ?? 3100),
  showsViews: true,
})
console.log(`The host of the MCP App: ${url} (its server: ${server})`)
