/** Heap per task in flight, and whether very many of them in one process are still read in time. */
import { interleave, median, quotients, range, runAlone } from './lib/rounds.mjs'
import { printIfMain, row } from './lib/table.mjs'

const many = 10_000
/** ms; the shortest interval that the default options allow. */
const interval = 250

export function measureMemory(rounds = 5) {
  const values = interleave(['hand', 'ours', 'ext-tasks'], rounds, (peer) => runAlone('memory', peer) / 1000)
  const compare = (peer, label, limit) => {
    const [ours, theirs] = [values.get('ours'), values.get(peer)]
    const ratios = quotients(ours, theirs)
    return row({
      quantity: 'heap per task that rests between two reads, kB',
      ours: range(ours),
      peer: `${label}: ${range(theirs)}`,
      ratio: range(ratios),
      ...(limit && { budget: `≤ ${limit}`, holds: median(ratios) <= limit }),
    })
  }
  const late = Array.from({ length: 3 }, () => runAlone('lateness', many, interval))
  const of = (key) => late.map((round) => round[key])
  return [
    compare('ext-tasks', 'ext-tasks', 0.6),
    compare('hand', 'by hand'),
    row({
      quantity: `lateness of reads with ${many} tasks in flight, ms`,
      ours: `p99 ${range(of('p99'), 0)}, most ${range(of('max'), 0)}`,
      peer: `interval: ${interval}`,
      ratio: (median(of('max')) / interval).toFixed(2),
      budget: '< 1',
      holds: median(of('max')) < interval && Math.max(...of('unread')) === 0,
    }),
  ]
}

await printIfMain(import.meta, measureMemory)
