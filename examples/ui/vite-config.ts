import { defaultClientConditions, type Plugin, type PluginOption, type UserConfig } from 'vite'

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

/** How Vite builds and serves an example page under the path `base`, with the plugin of its framework. */
export function pageConfig(base: string, framework: PluginOption): UserConfig {
  return {
    base,
    plugins: [framework, config()],
    build: {
      // The panel, and the page of all its states.
      rolldownOptions: { input: ['index.html', 'states.html'] },
      // The SDK's client alone is larger than what Vite warns of.
      chunkSizeWarningLimit: 1000,
    },
    // Workspace packages resolve to their TypeScript: a change anywhere shows at once.
    resolve: { conditions: ['@mcp-task-machine/source', ...defaultClientConditions] },
  }
}
