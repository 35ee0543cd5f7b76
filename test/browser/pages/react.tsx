import { TaskProvider, useTask } from '@mcp-task-machine/react'
import { createRoot } from 'react-dom/client'
import { buttons, connect, options, print, tool } from './surface.ts'

function Run() {
  const { runner: _, ...task } = useTask(tool, options)
  return (
    <>
      <output>{print(task)}</output>
      {buttons(task, () => task).map(([name, press]) => (
        <button key={name} type="button" onClick={press}>
          {name}
        </button>
      ))}
    </>
  )
}

const connection = await connect()
createRoot(document.getElementById('page')!).render(
  <TaskProvider connection={connection}>
    <Run />
  </TaskProvider>,
)
