// Knows nothing but the file: goes on with what it names and prints how that ended.
import { client, file, isStored, runner, viewWhere } from './process.mjs'

if (!isStored) await runner.resume(JSON.parse(file.getItem()))
// A runner that keeps the file finds it there when somebody begins to watch.
const view = await viewWhere(({ isTerminal, phase }) => isTerminal || phase === 'detached')
const { phase, attempt, detachedBecause, error, result } = view
console.log(JSON.stringify({ phase, attempt, detachedBecause, error, data: result?.data, reference: runner.reference }))
runner.dispose()
await client.close()
