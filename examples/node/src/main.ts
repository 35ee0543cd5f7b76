import { createTaskRunner, TaskError, type ToolResult } from '@mcp-task-machine/core'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createProgressLine, printEvent } from './terminal.ts'

const [url = 'http://127.0.0.1:3333/mcp', ...flags] = process.argv.slice(2)
const line = createProgressLine()

// `auto`: speak 2026-07-28, where the server decides which calls become tasks, and 2025-11-25 where it must be.
const client = new Client({ name: 'example-node', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })

const runner = createTaskRunner<{ query: string; seconds: number; sections: number }, { report: string }>({
  connection: fromClient(client),
  tool: 'start_research',
  maxWait: 4000,
  ...(flags.includes('--inspect') && { inspect: printEvent }),
})
runner.subscribe(() => line.show(runner.getSnapshot()))

/** Waits for the result. When that takes longer than `maxWait`, the work goes on without us, and can be resumed. */
async function wait(): Promise<ToolResult<{ report: string }>> {
  try {
    return await runner.result()
  } catch (error) {
    if (!TaskError.is(error) || error.kind !== 'timeout') throw error
    line.say('Waited long enough for now; the server works on. Resuming.')
    await runner.resume()
    return wait()
  }
}

try {
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  await runner.fire({ query: 'What moves the tides?', seconds: 10, sections: 4 })
  const { data } = await wait()
  line.say(data.report)
} catch (error) {
  line.say(`The call failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  runner.dispose()
  await client.close()
}
