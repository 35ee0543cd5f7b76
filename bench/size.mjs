/** What an app pays for in kB of brotli: bundled and minified by esbuild. */
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { printIfMain, row } from './lib/table.mjs'

export async function measureSize() {
  const { inputs, kB: core } = await bundle('createTaskRunner', '@mcp-task-machine/core', ['xstate'])
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
    row({ quantity: 'of that, by folder before compression, %', ours: shares(inputs) }),
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

const size = async (...what) => (await bundle(...what)).kB

async function bundle(name, from, external) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${name} } from '${from}'`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    write: false,
    metafile: true,
    external,
  })
  const [{ inputs }] = Object.values(metafile.outputs)
  return { inputs, kB: brotliCompressSync(outputFiles[0].contents).length / 1000 }
}

/** What the folders of `packages/core/src` contribute, most first. */
function shares(inputs) {
  const sums = new Map()
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const folder = /dist\/(\w+)\//.exec(path)?.[1] ?? 'the rest'
    sums.set(folder, (sums.get(folder) ?? 0) + bytesInOutput)
  }
  const whole = [...sums.values()].reduce((one, other) => one + other)
  const largest = [...sums].toSorted(([, one], [, other]) => other - one)
  return largest.map(([folder, bytes]) => `${folder} ${Math.round((100 * bytes) / whole)}`).join(', ')
}

await printIfMain(import.meta, measureSize)
