/** What an app pays for in kB of brotli: bundled and minified by esbuild. */
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { printIfMain, row } from './lib/table.mjs'

export async function measureSize() {
  const core = await size('createTaskRunner', '@mcp-task-machine/core', ['xstate'])
  const whole = await size('createTaskRunner', '@mcp-task-machine/core', [])
  const mcp = await size('fromClient', '@mcp-task-machine/core/mcp', [])
  const theirs = await size('createTaskSessionFromClient', '@modelcontextprotocol/ext-tasks/client', [
    '@modelcontextprotocol/client',
  ])
  const both = (whole + mcp) / theirs
  return [
    row({
      quantity: 'size of `createTaskRunner` without xstate, kB',
      ours: core.toFixed(2),
      budget: '≤ 7',
      holds: core <= 7,
    }),
    row({
      quantity: 'size of `createTaskRunner` with xstate, kB',
      ours: whole.toFixed(2),
      budget: '≤ 20',
      holds: whole <= 20,
    }),
    row({ quantity: 'size of `fromClient`, kB', ours: mcp.toFixed(2) }),
    row({
      quantity: 'size of `createTaskRunner`, xstate and `fromClient`, kB',
      ours: (whole + mcp).toFixed(2),
      peer: `ext-tasks without the SDK: ${theirs.toFixed(2)}`,
      ratio: both.toFixed(2),
    }),
  ]
}

async function size(name, from, external) {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${name} } from '${from}'`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    write: false,
    external,
  })
  return brotliCompressSync(outputFiles[0].contents).length / 1000
}

await printIfMain(import.meta, measureSize)
