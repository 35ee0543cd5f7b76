/** CPU per unchanged read: ours against a loop written by hand and against ext-tasks, over the same client. */
import { interleave, median, quotients, range, runAlone } from './lib/rounds.mjs'
import { printIfMain, row } from './lib/table.mjs'

const cases = [
  'hand client',
  'ours client',
  'ext-tasks client',
  'hand sdk',
  'ours sdk',
  'hand stub',
  'ours stub',
  'ext-tasks stub',
]
const layers = {
  client: 'over a client of `@modelcontextprotocol/client`',
  sdk: 'over a client of `@modelcontextprotocol/sdk`',
  stub: 'over a connection without an SDK',
}

export function measureCpu(rounds = 5) {
  const values = interleave(cases, rounds, (name) => runAlone('cpu', ...name.split(' ')))
  const compare = (layer, peer, label, limit) => {
    const [ours, theirs] = [values.get(`ours ${layer}`), values.get(`${peer} ${layer}`)]
    const ratios = quotients(ours, theirs)
    return row({
      quantity: `CPU of an unchanged read, µs, ${layers[layer]}`,
      ours: range(ours),
      peer: `${label}: ${range(theirs)}`,
      ratio: range(ratios),
      ...(limit && { budget: `≤ ${limit}`, holds: median(ratios) <= limit }),
    })
  }
  return [
    compare('client', 'hand', 'by hand', 1.15),
    compare('client', 'ext-tasks', 'ext-tasks', 0.25),
    compare('sdk', 'hand', 'by hand', 1.15),
    compare('stub', 'hand', 'by hand'),
    compare('stub', 'ext-tasks', 'ext-tasks'),
  ]
}

await printIfMain(import.meta, measureCpu)
