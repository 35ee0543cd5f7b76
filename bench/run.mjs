/** Measures everything and writes `docs/costs.md`. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { measureCpu } from './cpu.mjs'
import { table } from './lib/table.mjs'
import { measureGroup } from './group.mjs'
import { measureMemory } from './memory.mjs'
import { measureSize } from './size.mjs'
import { measureWire } from './wire.mjs'

const packages = {
  '@modelcontextprotocol/ext-tasks': 'node_modules',
  '@modelcontextprotocol/client': 'node_modules',
  '@modelcontextprotocol/sdk': 'node_modules',
  xstate: '../packages/core/node_modules',
  esbuild: 'node_modules',
}
const version = ([name, folder]) =>
  `${name} ${JSON.parse(readFileSync(new URL(`${folder}/${name}/package.json`, import.meta.url), 'utf8')).version}`

const [cpu] = os.cpus()
const machine = `${os.cpus().length} × ${cpu.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()} ${os.arch()}, Node ${process.version}`

const rows = [
  ...(await measureWire()),
  ...measureCpu(),
  ...measureMemory(),
  ...measureGroup(),
  ...(await measureSize()),
]
const text = `# Costs

What one long call costs, against a loop written by hand and against \`@modelcontextprotocol/ext-tasks\`. Every number is measured by
\`bench/\`, in one run; ratios are taken within a round. \`a (b–c)\` is the median with the least and the greatest of all rounds.

${table(rows)}

- Reads go to a server in the same process, without JSON text and without a network, so that nothing but the reader is measured.
  1,000 tasks are read every 10 ms and nothing changes; the user and system time of the whole process counts, garbage collection
  included. The calls begin one after the other. Each value comes from a process of its own, and the rounds of all cases are
  interleaved.
- Over a client of \`@modelcontextprotocol/client\`, ext-tasks sends its reads by a path of its own past the client, as it demands for
  2026-07-28. The loop by hand and ours go through the client.
- Memory: 10,000 tasks that rest between two reads, each with a pending result.
- Lateness: the time from the answer to a read until the next one goes out, less the interval; three processes.
- Sizes are bundled and minified by esbuild, then compressed by brotli.

Machine: ${machine}.
Versions: ${Object.entries(packages).map(version).join(', ')}.

Run it again: \`pnpm run build\`, then \`pnpm --filter @mcp-task-machine/bench start\`. It takes some minutes; let nothing else run meanwhile.
`
const file = fileURLToPath(new URL('../docs/costs.md', import.meta.url))
writeFileSync(file, text)
execFileSync('npx', ['prettier', '--write', file], { cwd: fileURLToPath(new URL('..', import.meta.url)) })
console.log(text)
