// What the two processes of the test have in common: one client, one runner, and a file that outlives them.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createTaskRunner } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const [, , url, mode, path, way] = process.argv

/** Where the reference is kept; written beside and renamed, so that a kill leaves the old one or the new one. */
export const file = {
  getItem() {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return null
    }
  },
  setItem(_key, text) {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  },
  removeItem: () => rmSync(path, { force: true }),
}

/** `storage`: the runner keeps the file itself. */
export const isStored = way === 'storage'

export const client = new Client(
  { name: 'two-processes', version: '1.0.0' },
  { versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : 'auto' } },
)
await client.connect(new StreamableHTTPClientTransport(new URL(url)))

export const runner = createTaskRunner({
  connection: fromClient(client),
  tool: 'start_research',
  minPollInterval: 50,
  ...(isStored && { storage: file, storageKey: 'run' }),
})

/** Resolves with the first view that fits. */
export function viewWhere(fits) {
  return new Promise((resolve) => {
    const look = () => fits(runner.getSnapshot()) && resolve(runner.getSnapshot())
    runner.subscribe(look)
    look()
  })
}
