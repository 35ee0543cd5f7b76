// oxlint-disable no-unused-vars
import { useTask as useCallToolAsTask } from '@mcp-task-machine/react'
import { ErrorBox, Report, Spinner } from './parts.tsx'

export function ResearchPanel() {
  // @ts-expect-error The documented example takes more than it uses.
  const { fire, task, result, error, isWorking, isTerminal, cancel } = useCallToolAsTask<
    { query: string },
    { report: string }
  >('start_research', { onInputRequired: 'cancel' })

  if (!task) return <button onClick={() => fire({ query: 'Q2 metrics' })}>Run</button>
  if (isWorking) return <Spinner status={task.status} onCancel={cancel} />
  if (error) return <ErrorBox error={error} />
  return <Report data={result} />
}
