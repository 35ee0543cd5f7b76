import { jobTools, toModelContext, type UseTaskOptions } from '@mcp-task-machine/core'
import { promptOf, wordsFor } from '@mcp-task-machine/example-ui'
import { useTask } from '@mcp-task-machine/react'
import type { App } from '@modelcontextprotocol/ext-apps'
import { useEffect, useSyncExternalStore } from 'react'
import { Progress } from '../../react/src/progress.tsx'
import { Status } from '../../react/src/status.tsx'
import { Actions } from './actions.tsx'
import type { watchOpening } from './opening.ts'
import { Outcome } from './outcome.tsx'
import { PromptCard } from './prompt-card.tsx'

// What the server keeps of a log; a view shows no more, whoever made it.
const LOG_LINES = 50

const reports: UseTaskOptions = {
  protocol: jobTools({
    status: 'get_report_status',
    cancel: 'cancel_report',
    retry: 'retry_report',
    result: 'get_report_result',
  }),
}

interface Props {
  readonly app: App
  readonly tool: string
  readonly opening: ReturnType<typeof watchOpening>
}

/** One run of the tool: the host's opening call, or one that is started here. */
export function Panel({ app, tool, opening }: Props) {
  const task = useTask(tool, tool === 'start_report' ? reports : {})
  const { runner, phase, job } = task
  const { args, answer } = useSyncExternalStore(opening.subscribe, opening.current)
  const openLink = (url: string) => void app.openLink({ url }).catch(() => {})

  useEffect(() => {
    if (!answer) return
    runner.adopt(answer)
    // The host sends it again to a view that comes back: it may be old.
    void runner.refresh()
  }, [runner, answer])

  // The model learns where the work stands, not each percent of it.
  const stage = job?.stage
  useEffect(() => {
    if (phase === 'idle' || !app.getHostCapabilities()?.updateModelContext) return
    const view = runner.getSnapshot()
    const text = `${tool}: ${wordsFor(view).title}`
    void app
      .updateModelContext({ content: [{ type: 'text', text }], structuredContent: toModelContext(view) })
      .catch(() => {})
  }, [app, runner, tool, phase, stage])

  const log = job?.display['logTail']
  const lines = Array.isArray(log) ? log.slice(-LOG_LINES) : []
  return (
    <main className="run" data-task={task.task?.taskId}>
      <h1>{titleOf(args)}</h1>
      <Status view={task} />
      {job?.stage && task.isWorking && <p className="muted">{job.stage}</p>}
      {task.isWorking && phase !== 'input_required' && <Progress progress={task.progress} />}
      {Object.values(task.inputRequests).map((asked) => (
        <PromptCard
          key={asked.key}
          prompt={promptOf(asked)}
          server={asked.server}
          openLink={openLink}
          onAnswer={(given) => void task.respond({ [asked.key]: given })}
        />
      ))}
      {task.result && <Outcome result={task.result} said={task.error?.message} openLink={openLink} />}
      <Actions key={JSON.stringify(args)} task={task} args={args} />
      {lines.length > 0 && (
        <details>
          <summary>Log</summary>
          <ol className="log">
            {lines.map((line, nth) => (
              <li key={nth}>{String(line)}</li>
            ))}
          </ol>
        </details>
      )}
    </main>
  )
}

function titleOf({ query, destination }: Readonly<Record<string, unknown>>): string {
  return String(query ?? destination ?? 'New report')
}
