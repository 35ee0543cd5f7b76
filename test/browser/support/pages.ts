import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { build, defaultClientConditions } from 'vite'
import { servePage } from '../../../examples/serve-page.mjs'
import { Proxy } from '../../end-to-end/proxy.ts'
import { endProcesses, startProcess } from '../../server/support/server-process.ts'

const sources = {
  React: new URL('../pages/react.tsx', import.meta.url),
  Vue: new URL('../pages/vue.ts', import.meta.url),
  Svelte: new URL('../pages/svelte.ts', import.meta.url),
}
export type Framework = keyof typeof sources

/** Builds the pages that are there to be reloaded into a folder of their own, and starts an MCP server for them. */
export async function preparePages() {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-pages-'))
  const input = Object.fromEntries(Object.entries(sources).map(([name, url]) => [name, fileURLToPath(url)]))
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [svelte({ configFile: false })],
    define: {
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    resolve: { conditions: ['@mcp-task-machine/source', ...defaultClientConditions] },
    build: {
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      chunkSizeWarningLimit: 5000,
      rolldownOptions: { input, output: { entryFileNames: '[name].js' } },
    },
  })
  for (const name of Object.keys(sources))
    await writeFile(
      join(folder, `${name}.html`),
      `<!doctype html><title>${name}</title><div id="page"></div><script type="module" src="${name}.js"></script>`,
    )
  // Tasks that tests leave behind keep their workers.
  const start = () => startProcess([], { POLL_INTERVAL_MS: '250', WORKERS: '32' })
  const server = await start()
  let stranger: ReturnType<typeof start> | undefined
  return {
    /** Serves the pages at an address of their own, which the server is behind, too: what they send is counted there. */
    async serve() {
      const proxy = new Proxy()
      proxy.target = server.url
      const web = await servePage({ pages: { '/': folder }, server: await proxy.listen(), port: 0 })
      return {
        url: web.url,
        proxy,
        /** Puts a server in the old one's place that has never heard of its tasks. */
        async forget() {
          proxy.target = (await (stranger ??= start())).url
        },
        close() {
          web.close()
          proxy.close()
        },
      }
    },
    async stop() {
      await endProcesses()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
