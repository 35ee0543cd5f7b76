/** Heap per task in flight of one peer, in a process of its own: `node --expose-gc one/memory.mjs <peer>` prints bytes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openPeer } from '../lib/peers.mjs'
import { Server } from '../lib/server.mjs'

const [, , peer, layer = 'client'] = process.argv
const tasks = 10_000

const server = new Server({ interval: 10, reads: 3 })
const call = await openPeer(peer, layer, server)
// Whatever is made once, and the code of a whole run, is there before the measurement.
await Promise.all(Array.from({ length: 100 }, () => call()))

server.reads = Infinity
server.interval = 3_600_000
const results = Array.from({ length: tasks })
const before = await heap()
for (let i = 0; i < tasks; i++) results[i] = call()
await sleep(1000)
const after = await heap()
console.log(JSON.stringify((after - before) / results.length))
process.exit()

async function heap() {
  for (let i = 0; i < 5; i++) {
    globalThis.gc()
    await sleep(10)
  }
  return process.memoryUsage().heapUsed
}
