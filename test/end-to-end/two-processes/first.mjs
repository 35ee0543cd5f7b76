// Starts the work, and sees it under way. It then leaves the reference in the file and goes; or, when the runner keeps the file, stays
// until it is killed.
import { client, file, isStored, runner, viewWhere } from './process.mjs'

const fired = runner.fire({ query: 'rivers', seconds: 6, sections: 16 })
await viewWhere(({ progress }) => progress?.message === 'Reading 3 of 16')
await fired
if (!isStored) {
  const { reference } = runner
  runner.detach()
  file.setItem('run', JSON.stringify(reference))
  runner.dispose()
  await client.close()
}
console.log('under way')
