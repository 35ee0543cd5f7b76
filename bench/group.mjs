/** Whether a group grows linearly: CPU and heap per member, of 10,000 members against 1,000. */
import { interleave, quotients, range, runAlone } from './lib/rounds.mjs'
import { printIfMain, row } from './lib/table.mjs'

export function measureGroup(rounds = 3) {
  const values = interleave([1000, 10_000], rounds, (members) => runAlone('group', members))
  const [few, many] = [values.get(1000), values.get(10_000)]
  const compare = (quantity, of, scale, digits) => {
    const ratios = quotients(many.map(of), few.map(of))
    return row({
      quantity,
      ours: `10,000 members: ${range(
        many.map((each) => of(each) / scale),
        digits,
      )}`,
      peer: `1,000 members: ${range(
        few.map((each) => of(each) / scale),
        digits,
      )}`,
      ratio: range(ratios),
    })
  }
  return [
    compare('a group: CPU per member from fire to settled, every burst of changes drawn, ms', ({ cpu }) => cpu, 1000),
    compare('a group: heap per member that has ended, kB', ({ heap }) => heap, 1000, 1),
  ]
}

await printIfMain(import.meta, measureGroup)
