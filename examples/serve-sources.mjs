// Serves the pages from their sources, under the paths where `npm start` serves them built: a change shows at once.
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createServer as createVite } from 'vite'
import { listen } from './serve-page.mjs'
import { printAddresses } from './words.mjs'

const folder = (name) => fileURLToPath(new URL(name, import.meta.url))
/** The path of each page, the longest last; without a configuration of its own it has no framework. */
const pages = [
  { base: '/', root: folder('react') },
  { base: '/vue/', root: folder('vue') },
  { base: '/svelte/', root: folder('svelte') },
  { base: '/side-by-side/', root: folder('side-by-side'), configFile: false },
]

const http = createServer((request, response) => {
  const { vite } = servers.findLast(({ base }) => request.url.startsWith(base))
  vite.middlewares(request, response, () => response.writeHead(404).end())
})
const servers = await Promise.all(
  pages.map(async (page) => {
    // Each tells its own pages of changes, over this server: the path of the socket is that of the page.
    const server = { middlewareMode: true, hmr: { server: http } }
    return { base: page.base, vite: await createVite({ ...page, server, clearScreen: false }) }
  }),
)
await listen(http, Number(process.env.PAGE_PORT ?? 3000))
printAddresses(`http://127.0.0.1:${http.address().port}/`)
