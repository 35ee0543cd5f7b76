import { execFileSync } from 'node:child_process'

/** Runs a script of `one/` in a process of its own and reads what it prints. */
export function runAlone(script, ...words) {
  const path = new URL(`../one/${script}.mjs`, import.meta.url).pathname
  const text = execFileSync(process.execPath, ['--no-warnings', '--expose-gc', path, ...words.map(String)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(text)
}

/**
 * Measures every case once per round, so that whatever else the machine does meets all of them alike.
 * @returns per case, one value per round
 */
export function interleave(cases, rounds, measure) {
  const values = new Map(cases.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) for (const name of cases) values.get(name).push(measure(name))
  return values
}

/** The quotients of the values of the same round. */
export const quotients = (values, others) => values.map((value, round) => value / others[round])

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** `median (least–most)`. */
export function range(values, digits = 2) {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}
