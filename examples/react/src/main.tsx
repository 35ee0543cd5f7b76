import '@mcp-task-machine/example-ui/styles.css'
import { openPanel } from '@mcp-task-machine/example-ui'
import { TaskProvider } from '@mcp-task-machine/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Opening } from './opening.tsx'

const root = createRoot(document.getElementById('page')!)

async function open(): Promise<void> {
  root.render(<Opening />)
  try {
    const { connection, ...panel } = await openPanel()
    root.render(
      <StrictMode>
        <TaskProvider connection={connection}>
          <App {...panel} />
        </TaskProvider>
      </StrictMode>,
    )
  } catch (error) {
    root.render(<Opening problem={(error as Error).message} onRetry={open} />)
  }
}

void open()
