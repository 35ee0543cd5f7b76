/** What a task costs on the wire and on the screen: requests, changes shown, and how soon a push is heard. */
import { openPeer } from './lib/peers.mjs'
import { Server } from './lib/server.mjs'
import { median, range } from './lib/rounds.mjs'
import { printIfMain, row } from './lib/table.mjs'

const reads = 5
const tasks = 10
/** One for all tasks of a connection, and no part of any of them. */
const subscribe = 'subscriptions/listen'

export async function measureWire() {
  const [ours, theirs] = [await count('ours'), await count('ext-tasks')]
  const least = tasks * (reads + 1)
  const subscriptions = ours.filter((method) => method === subscribe).length
  const shown = await countChanges()
  const heard = []
  for (let i = 0; i < 7; i++) heard.push(await timePush())
  return [
    row({
      quantity: `requests for ${tasks} tasks of one connection that complete at the ${reads}th read`,
      ours: words(ours),
      peer: `ext-tasks: ${words(theirs)}`,
      ratio: (ours.length / theirs.length).toFixed(2),
      budget: `= ${least}, and one subscription`,
      holds: ours.length - subscriptions === least && subscriptions <= 1,
    }),
    row({
      quantity: `listeners called during ${reads - 1} unchanged reads`,
      ours: `${shown}`,
      budget: '= 0',
      holds: shown === 0,
    }),
    row({
      quantity: 'from a push that ends the task to its result, ms',
      ours: range(heard, 1),
      peer: 'interval: 60000',
      budget: '< 10',
      holds: median(heard) < 10,
    }),
  ]
}

async function count(peer) {
  const server = new Server({ interval: 10, reads })
  const call = await openPeer(peer, 'client', server)
  server.log = []
  await Promise.all(Array.from({ length: tasks }, () => call()))
  return server.log
}

async function countChanges() {
  const server = new Server({ interval: 10, reads })
  const call = await openPeer('ours', 'client', server)
  let [nth, changes] = [0, 0]
  server.onRead = () => nth++
  await call(({ isTerminal }) => {
    if (nth > 0 && !isTerminal) changes++
  })
  return changes
}

async function timePush() {
  const server = new Server({ interval: 60_000 })
  const call = await openPeer('ours', 'client', server)
  const result = call()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const before = performance.now()
  server.notify('notifications/tasks', server.snapshot('task-0', 'completed'))
  await result
  return performance.now() - before
}

/** `6: 1 tools/call, 5 tasks/get`. */
function words(log) {
  const kinds = [...new Set(log)].map((kind) => `${log.filter((method) => method === kind).length} ${kind}`)
  return `${log.length}: ${kinds.join(', ')}`
}

await printIfMain(import.meta, measureWire)
