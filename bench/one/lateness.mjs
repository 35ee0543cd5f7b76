/** How late reads come when very many tasks are in flight in one process: `node one/lateness.mjs <tasks> <interval>`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openPeer } from '../lib/peers.mjs'
import { Server } from '../lib/server.mjs'

const [tasks, interval] = process.argv.slice(2).map(Number)
const server = new Server({ interval })
const call = await openPeer('ours', 'client', server)

/** ms; when each task was answered last. */
const last = new Map()
const late = []
let measuring = false
server.onRead = (taskId) => {
  const now = performance.now()
  const before = last.get(taskId)
  if (measuring && before !== undefined) late.push(now - before - interval)
  // The answer is delivered right after this: the wait begins there.
  queueMicrotask(() => last.set(taskId, performance.now()))
}
for (let i = 0; i < tasks; i++) void call()

// Until every task has been read a few times: making them all at once is no part of this.
await sleep(2000 + 4 * interval)
measuring = true
const cpu = process.cpuUsage()
await sleep(10_000)
const { user, system } = process.cpuUsage(cpu)
late.sort((a, b) => a - b)
const at = (share) => late[Math.min(late.length - 1, Math.floor(share * late.length))]
console.log(
  JSON.stringify({
    reads: late.length,
    median: at(0.5),
    p99: at(0.99),
    max: at(1),
    load: (user + system) / 10_000_000,
    unread: tasks - last.size,
  }),
)
process.exit()
