// Serves built pages, and tells them where their MCP server is.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const HOST = '127.0.0.1'
const PORTS_TRIED = 100

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** The folders of the built pages by their paths: the same page in three frameworks, and all three side by side. */
export const builtPages = {
  '/': here('react/dist'),
  '/vue/': here('vue/dist'),
  '/svelte/': here('svelte/dist'),
  '/side-by-side/': here('side-by-side'),
}

/**
 * Serves the files of folders on this machine.
 * @param {{ pages: Record<string, string>, server: string, port: number, showsViews?: boolean }} options `pages` are folders by path (`/`,
 *   `/vue/`), `server` is the MCP server's URL; `port` the first to try, 0 for any; `showsViews`: the pages show MCP Apps, whose scripts and styles stand in their
 *   documents, which this page's policy binds too
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function servePage({ pages, server, port, showsViews = false }) {
  // What a page may do is known: talk to its MCP server. The SDK's zod looks whether it may compile, and falls back where not.
  const inline = showsViews ? " 'unsafe-inline'" : ''
  const policy = `default-src 'self'; script-src 'self' 'unsafe-eval'${inline}; style-src 'self'${inline}; connect-src 'self' ${new URL(server).origin}; img-src data:; frame-ancestors 'self'`
  const head = { 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' }

  const http = createServer(async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405)
    const path = pathOf(request.url)
    if (path === '/config.json') {
      response.writeHead(200, { ...head, 'content-type': 'application/json' }).end(JSON.stringify({ server }))
      return
    }
    const file = path && fileOf(pages, path)
    const found = file && (await stat(file).catch(() => undefined))
    if (!found?.isFile()) return refuse(response, 404)
    const type = TYPES[extname(file)] ?? 'application/octet-stream'
    response.writeHead(200, { ...head, 'content-type': type, 'content-length': found.size })
    if (request.method === 'HEAD') response.end()
    else
      createReadStream(file)
        .on('error', () => response.destroy())
        .pipe(response)
  })
  await listen(http, port)
  return {
    url: `http://${HOST}:${http.address().port}/`,
    close() {
      http.close()
      http.closeAllConnections()
    },
  }
}

function refuse(response, status) {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 404 ? 'Not found.\n' : 'Only GET.\n')
}

function pathOf(url) {
  try {
    return decodeURIComponent(new URL(url, `http://${HOST}`).pathname)
  } catch {
    return null
  }
}

/** The file of a path, or `undefined` where it leads out of the folder. */
function fileOf(pages, path) {
  const [base, folder] = Object.entries(pages).findLast(([each]) => path.startsWith(each)) ?? []
  if (!folder) return undefined
  const root = normalize(folder + sep)
  const within = path.slice(base.length)
  const file = join(root, within === '' || within.endsWith('/') ? `${within}index.html` : within)
  return file.startsWith(root) && !file.includes('\0') ? file : undefined
}

/** Listens on this machine, on the first port that is free from `first` on. */
export async function listen(http, first) {
  for (let port = first; ; port++) {
    try {
      await new Promise((resolve, reject) => {
        http.once('error', reject)
        http.listen(port, HOST, () => {
          http.off('error', reject)
          resolve()
        })
      })
      return
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || first === 0 || port >= first + PORTS_TRIED) throw error
    }
  }
}
