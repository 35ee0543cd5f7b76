import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

/** In development the page asks Vite where its MCP server is; the built page asks whoever serves it. */
function config(): Plugin {
  return {
    name: 'config',
    configureServer({ middlewares }) {
      const server = process.env['MCP_URL'] ?? 'http://127.0.0.1:3333/mcp'
      middlewares.use('/config.json', (_, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ server }))
      })
    },
  }
}

// Workspace packages resolve to their TypeScript: a change anywhere shows at once.
export default defineConfig({
  plugins: [react(), config()],
  // The SDK's client alone is larger than what Vite warns of.
  build: { chunkSizeWarningLimit: 1000 },
  resolve: { conditions: ['@mcp-task-machine/source', ...defaultClientConditions] },
})
