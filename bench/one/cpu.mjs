/** CPU per unchanged read of one peer over one layer, in a process of its own: `node one/cpu.mjs <peer> <layer>` prints µs. */
import { setImmediate } from 'node:timers/promises'
import { openPeer } from '../lib/peers.mjs'
import { Server } from '../lib/server.mjs'

const [, , peer, layer] = process.argv
const tasks = 1000
/** Reads per task before the measurement begins (code is compiled by then), and while it lasts. */
const warmUp = 30
const measured = 50

const server = new Server({ interval: 10 })
const call = await openPeer(peer, layer, server)
for (let i = 0; i < tasks; i++) {
  void call()
  // One after the other: a crowd of create calls leaves the SDK with large tables that burden the collector for long.
  await setImmediate()
}

let reads = 0
let before
server.onRead = () => {
  reads++
  if (reads === warmUp * tasks) before = process.cpuUsage()
  if (reads < (warmUp + measured) * tasks) return
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify((user + system) / (measured * tasks)))
  process.exit()
}
