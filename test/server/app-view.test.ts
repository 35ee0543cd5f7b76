import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { endProcesses, startProcess } from './support/server-process.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'view-'))))
afterEach(endProcesses)
afterAll(() => rm(folder, { recursive: true }))

async function connect(mode: 'auto' | 'legacy', APP_FILE: string) {
  const { url } = await startProcess([], { APP_FILE })
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

test.each(['auto', 'legacy'] as const)(
  'the tools of the view name it, and it is read with its policy (%s)',
  async (mode) => {
    const file = join(folder, 'view.html')
    await writeFile(file, '<!doctype html><title>View</title>')
    const client = await connect(mode, file)
    const { tools } = await client.listTools()
    const withView = tools.filter(({ _meta }) => (_meta?.['ui'] as { resourceUri?: string } | undefined)?.resourceUri)
    expect(withView.map(({ name }) => name).toSorted()).toEqual(['book_trip', 'start_report', 'start_research'])

    const uri = (withView[0]!._meta!['ui'] as { resourceUri: string }).resourceUri
    expect((await client.readResource({ uri })).contents).toEqual([
      {
        uri,
        mimeType: 'text/html;profile=mcp-app',
        text: '<!doctype html><title>View</title>',
        _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
      },
    ])
    // It is for hosts, not for people who look for reports.
    expect((await client.listResources()).resources).toEqual([])
    await client.close()
  },
)

test('a view that is not built is an error that says how to build it', async () => {
  const client = await connect('auto', join(folder, 'missing.html'))
  await expect(client.readResource({ uri: 'ui://mcp-task-machine/run.html' })).rejects.toThrow(
    'The view is not built: run `pnpm build` first.',
  )
  await client.close()
})
