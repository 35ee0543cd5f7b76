/** CPU and heap of a group, per member: `node --expose-gc one/group.mjs <members>` fires them, shows each burst of changes, and lets them settle. */
import { createTaskGroup } from '@mcp-task-machine/core'
import { Server } from '../lib/server.mjs'
import { createStubConnection } from '../lib/stub-connection.mjs'

const members = Number(process.argv[2])
const connection = createStubConnection(new Server({ interval: 250, reads: 3 }))
/** A page draws what it is told. */
let drawn = 0
const run = async (count) => {
  const group = createTaskGroup({ connection })
  group.subscribe(() => (drawn += group.getSnapshot().views.length))
  for (let i = 0; i < count; i++) group.fire('research', { query: `${i}` })
  await group.settled()
  return group
}
// The code of a whole run is there before the measurement.
await run(50)

globalThis.gc()
const before = process.memoryUsage().heapUsed
const cpu = process.cpuUsage()
const group = await run(members)
const { user, system } = process.cpuUsage(cpu)
globalThis.gc()
const heap = process.memoryUsage().heapUsed - before
if (group.getSnapshot().counts.completed !== members) throw new Error('Not every member has completed.')
console.log(JSON.stringify({ cpu: (user + system) / members, heap: heap / members, drawn }))
process.exit()
