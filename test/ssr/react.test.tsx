import type { TaskConnection } from '@mcp-task-machine/core'
import { TaskProvider, useDataSync, useTask, useTaskGroup, type UseTaskOptions } from '@mcp-task-machine/react'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Suspense } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { groupWords, words, type Given } from '../adapters/driver.ts'
import { createServer, describeServerRendering } from './contract.ts'

interface AppProps {
  readonly connection: TaskConnection
  readonly tool: string
  readonly options?: UseTaskOptions | undefined
  readonly onTask?: (task: Pick<Given, 'runner' | 'fire'>) => void
}

function App({ connection, ...panel }: AppProps) {
  return (
    <TaskProvider connection={connection}>
      <Panel {...panel} />
    </TaskProvider>
  )
}

function Panel({ tool, options, onTask }: Omit<AppProps, 'connection'>) {
  const task = useTask(tool, options)
  const group = useTaskGroup({ maxConcurrent: 2 })
  useDataSync(() => {})
  onTask?.(task)
  return (
    <>
      <p id="a">{words(task)}</p>
      <p id="g">{groupWords(group)}</p>
    </>
  )
}

describeServerRendering('React', async (request) => {
  let task!: Pick<Given, 'runner' | 'fire'>
  const html = renderToString(<App {...request} onTask={(given) => (task = given)} />)
  return { html, task }
})

test('renders into a stream, also what the page waits for', async () => {
  const connection = createServer()
  const complain = vi.spyOn(console, 'error')
  let isLoaded = false
  const loading = Promise.resolve().then(() => (isLoaded = true))
  function Late() {
    const { phase } = useTask('start_research', { connection, key: 'report' })
    if (!isLoaded) throw loading
    return <p>{phase}</p>
  }
  const stream = renderToPipeableStream(
    <Suspense fallback="waiting">
      <Late />
    </Suspense>,
  )
  expect(await text(stream.pipe(new PassThrough()))).toContain('<p>idle</p>')
  expect(connection.wire).toEqual([])
  expect(complain).not.toHaveBeenCalled()
})
