// What `npm test` runs: installs, runs every test, and closes with the one line `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, pnpm } from '../.ci/install.mjs'

if ((await install()) !== 0) {
  console.error('Installing the dependencies failed: see above; the npm registry must be reachable once.')
  console.log('0 passed, 1 failed')
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'mcp-task-machine-'))
const file = join(folder, 'report.json')
const build = await pnpm(['run', 'build'])
const code =
  build || (await pnpm(['exec', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]))

let passed = 0
let failed = 1
try {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed = report.numPassedTests
  // A skipped test is a test nobody ran, and a file that does not load hides all of its tests.
  const unloaded = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  )
  failed = report.numFailedTests + report.numPendingTests + report.numTodoTests + unloaded.length
  if (report.numPendingTests + report.numTodoTests > 0) console.error('Skipped tests count as failed.')
} catch {
  console.error(build ? 'The build failed: no test was run.' : 'The test runner ended without a report: see above.')
}
rmSync(folder, { recursive: true, force: true })
if (code !== 0 && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
