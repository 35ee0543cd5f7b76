// It is there for what it does, and first.
// oxlint-disable-next-line import/no-unassigned-import
import './no-compiling.ts'
import './view.css'
import { fromApp } from '@mcp-task-machine/core/apps'
import { TaskProvider } from '@mcp-task-machine/react'
import { App } from '@modelcontextprotocol/ext-apps'
import { createRoot } from 'react-dom/client'
import { watchOpening } from './opening.ts'
import { Panel } from './panel.tsx'
import { followHost } from './theme.ts'

const app = new App({ name: 'report-panel', version: '1.0.0' })
const opening = watchOpening(app)
await app.connect()
followHost(app)

const connection = fromApp(app)
const named = app.getHostContext()?.toolInfo?.tool.name
// Reports are jobs: what hosts without tasks can run, too.
const tool = connection.supportsTasks ? (named ?? 'start_research') : 'start_report'
createRoot(document.getElementById('view')!).render(
  <TaskProvider connection={connection}>
    <Panel app={app} tool={tool} opening={opening} />
  </TaskProvider>,
)
