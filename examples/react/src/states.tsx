import '@mcp-task-machine/example-ui/styles.css'
import { keepStill, states, still } from '@mcp-task-machine/example-ui/states'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RunPanel } from './run-panel.tsx'

keepStill()
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    {states.map(({ name, title, sentence, run, options }) => (
      <section key={name} className="state" aria-labelledby={`${name}-title`}>
        <header>
          <h2 id={`${name}-title`}>{title}</h2>
          <p className="muted">{sentence}</p>
        </header>
        <RunPanel run={run} runs={still} options={options} onRemove={() => {}} />
      </section>
    ))}
  </StrictMode>,
)
