import '@mcp-task-machine/example-ui/styles.css'
import { fromClient } from '@mcp-task-machine/core/mcp'
import { connectTo, createReports, createRuns, generationIn, serverUrl } from '@mcp-task-machine/example-ui'
import { TaskProvider } from '@mcp-task-machine/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Opening } from './opening.tsx'

const root = createRoot(document.getElementById('page')!)
const generation = generationIn(location.search)

async function open(): Promise<void> {
  root.render(<Opening />)
  try {
    const server = await connectTo(await serverUrl(), generation)
    const connection = fromClient(server.client)
    const runs = createRuns(sessionStorage, `runs ${server.url} ${generation}`)
    const reports = createReports(connection)
    server.onBack(reports.read)
    reports.read()
    root.render(
      <StrictMode>
        <TaskProvider connection={connection}>
          <App runs={runs} reports={reports} url={server.url} generation={generation} />
        </TaskProvider>
      </StrictMode>,
    )
  } catch (error) {
    root.render(<Opening problem={(error as Error).message} onRetry={open} />)
  }
}

void open()
