import './migration/dom.ts'
import { readFileSync } from 'node:fs'
import { TaskProvider, useTask } from '@mcp-task-machine/react'
import type { Client } from '@modelcontextprotocol/client'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect, disconnectAll } from '../end-to-end/support.ts'
import { ErrorBox, Spinner } from './migration/parts.tsx'
import { ResearchPanel } from './migration/research-panel.tsx'

const top = new URL('../../', import.meta.url)
const PATIENCE_MS = 30_000
interface Call {
  readonly name?: string
  readonly arguments: Record<string, unknown>
}
let client: Client
beforeAll(async () => {
  client = await connect('stdio')
  // The server answers once its database is up.
  await client.listTools()
  const transport = client.transport!
  const send = transport.send.bind(transport)
  // The example names no time, and the server's own would be 12 seconds.
  transport.send = (message, options) => {
    const { params } = message as { readonly params?: Call }
    if (params?.name === 'start_research') params.arguments['seconds'] = 1
    return send(message, options)
  }
}, 120_000)
afterAll(disconnectAll)

/** Draws something below the provider, and finds in it what a person would. */
function show(children: ReactNode) {
  const container = document.createElement('div')
  const root = createRoot(container)
  root.render(<TaskProvider client={client}>{children}</TaskProvider>)
  const find = (selector: string, text: RegExp) =>
    vi.waitFor(
      () => {
        const found = container.querySelector<HTMLElement>(selector)
        expect(found?.textContent).toMatch(text)
        return found!
      },
      { timeout: PATIENCE_MS, interval: 10 },
    )
  return { find, close: () => root.unmount() }
}

test('docs/migration.md shows the component that is tested here', () => {
  const read = (path: string) => readFileSync(new URL(path, top), 'utf8')
  const documented = /```tsx\n([\s\S]*?)```/.exec(read('docs/migration.md'))![1]!
  const tested = read('test/ui/migration/research-panel.tsx')
    .replace(/^ *\/\/ .*\n/gm, '')
    .replace(/^import .* from '\.\/parts\.tsx'\n/m, '')
    .replace('export function', 'function')
  expect(documented).toBe(tested)
})

test('it runs: the button, the spinner, the report', { timeout: 60_000 }, async () => {
  const { find, close } = show(<ResearchPanel />)
  ;(await find('button', /^Run$/)).click()
  await find('p', /^working/)
  await find('article', /^# Q2 metrics/)
  close()
})

test('its cancel button ends in the error box', { timeout: 60_000 }, async () => {
  const { find, close } = show(<ResearchPanel />)
  ;(await find('button', /^Run$/)).click()
  ;(await find('button', /^Cancel$/)).click()
  await find('[role=alert]', /^cancelled: /)
  close()
})

test('a task that asks for input is cancelled, and the error says so', { timeout: 60_000 }, async () => {
  function Trip() {
    const { fire, task, error, isWorking, cancel } = useTask('book_trip', { onInputRequired: 'cancel' })
    if (!task) return <button onClick={() => void fire({ destination: 'Oslo', seconds: 0 })}>Run</button>
    if (isWorking) return <Spinner status={task.status} onCancel={cancel} />
    return error && <ErrorBox error={error} />
  }
  const { find, close } = show(<Trip />)
  ;(await find('button', /^Run$/)).click()
  await find('[role=alert]', /^input-required: /)
  close()
})
