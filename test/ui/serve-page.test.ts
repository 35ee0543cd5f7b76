import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servePage } from '../../examples/serve-page.mjs'

let folder: string
let pages: Record<string, string>
let page: Awaited<ReturnType<typeof servePage>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-page-'))
  await mkdir(join(folder, 'page/assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await writeFile(join(folder, 'page/index.html'), '<p>page</p>')
  await writeFile(join(folder, 'page/assets/a.js'), 'a')
  await mkdir(join(folder, 'other'))
  await writeFile(join(folder, 'other/index.html'), '<p>other</p>')
  pages = { '/': join(folder, 'page'), '/other/': join(folder, 'other') }
  page = await servePage({ pages, server: 'http://127.0.0.1:9/mcp', port: 0 })
})
afterAll(async () => {
  page.close()
  await rm(folder, { recursive: true, force: true })
})

/** The status of a path exactly as it is written here; `fetch` would tidy it up. */
const status = (path: string, method = 'GET') =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(page.url)
    request({ hostname, port, path, method }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('the page and its parts have their types', async () => {
  const [index, script] = await Promise.all([fetch(page.url), fetch(`${page.url}assets/a.js`)])
  expect(await index.text()).toBe('<p>page</p>')
  expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(index.headers.get('content-security-policy')).toContain("connect-src 'self' http://127.0.0.1:9;")
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})

test('a page under a path of its own', async () => {
  expect(await (await fetch(`${page.url}other/`)).text()).toBe('<p>other</p>')
  expect(await status('/other/../secret.txt')).toBe(404)
  expect(await status('/other/..%2fsecret.txt')).toBe(404)
  expect(await status('/other/assets/a.js')).toBe(404)
})

test('the page is told where its MCP server is', async () => {
  expect(await (await fetch(`${page.url}config.json`)).json()).toEqual({ server: 'http://127.0.0.1:9/mcp' })
})

test.each(['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/..%5c..%5c..%5csecret.txt'])(
  '%s leads nowhere',
  async (path) => {
    expect(await status(path)).toBe(404)
  },
)

test.each(['/assets', '/assets/', '/none.js', '/%00', '/%', '//'])('%s is not there', async (path) => {
  expect(await status(path)).toBe(404)
})

test('it only gives', async () => {
  expect(await status('/', 'HEAD')).toBe(200)
  expect(await status('/', 'POST')).toBe(405)
})

test('a port that is taken is left to its owner', async () => {
  const port = Number(new URL(page.url).port)
  const other = await servePage({ pages, server: 'http://127.0.0.1:9/mcp', port })
  expect(Number(new URL(other.url).port)).toBeGreaterThan(port)
  other.close()
})
