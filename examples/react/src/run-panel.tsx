import type { JsonObject, UseTaskOptions } from '@mcp-task-machine/core'
import { jobOf, promptOf, type Run, type Runs } from '@mcp-task-machine/example-ui'
import { useTask } from '@mcp-task-machine/react'
import { useEffect, useState } from 'react'
import { History } from './history.tsx'
import { Progress } from './progress.tsx'
import { PromptCard } from './prompt-card.tsx'
import { Result } from './result.tsx'
import { RunActions } from './run-actions.tsx'
import { StartForm } from './start-form.tsx'
import { Status } from './status.tsx'
import { usePanelFocus } from './use-panel-focus.ts'

interface Props {
  readonly run: Run
  readonly runs: Runs
  readonly onRemove: (id: string) => void
  /** Of its task, besides the key. */
  readonly options?: UseTaskOptions
}

/** One run, from its form to its end. */
export function RunPanel({ run, runs, onRemove, options }: Props) {
  const { id, tool, args, reference, history, starts } = run
  const job = jobOf(tool)
  // The key keeps the runner while another part of the page is shown, and until it is started over.
  const task = useTask(tool, { key: `${id} ${tool} ${starts}`, ...options })
  const { runner } = task
  // An answer that the server refuses comes back to be put right.
  const [given, setGiven] = useState<Readonly<Record<string, JsonObject>>>({})
  const prompts = Object.values(task.inputRequests).map(promptOf)
  const { panel, heading, prompt } = usePanelFocus(task.phase, prompts.length > 0)

  // After a reload the runner is new, but the task is still there; or another page has begun the run anew.
  const { isWorking } = task
  useEffect(() => {
    const there = runs.elsewhere(id, runner.getSnapshot())
    // One that no longer leads anywhere is forgotten.
    if (there) runner.resume(there).catch(() => runs.change(id, { reference: null }))
  }, [runs, id, reference, runner, isWorking])
  useEffect(() => runs.record(id, runner.getSnapshot(), runner.reference), [runs, id, runner, task])

  const start = (chosen: JsonObject) => {
    runs.begin(id, chosen)
    // The view says why, if it fails.
    task.fire(chosen).catch(() => {})
  }
  const respond = (key: string, answer: JsonObject) => {
    const { content } = answer
    if (content) setGiven((answers) => ({ ...answers, [key]: content as JsonObject }))
    void task.respond({ [key]: answer })
  }

  return (
    <article className="run" ref={panel} aria-labelledby={`${id}-heading`}>
      <header className="run-head">
        {!task.isIdle && <p className="muted">{job.title}</p>}
        <h3 id={`${id}-heading`} ref={heading} tabIndex={-1}>
          {task.isIdle || !args ? 'New run' : job.titleOf(args)}
        </h3>
      </header>
      <Status view={task} />
      {task.isWorking && task.phase !== 'input_required' && <Progress progress={task.progress} />}
      {prompts.map((asked, at) => (
        <PromptCard
          key={asked.key}
          ref={at === 0 ? prompt : undefined}
          prompt={asked}
          server={task.inputRequests[asked.key]?.server ?? null}
          given={given[asked.key]}
          onAnswer={(answer) => respond(asked.key, answer)}
        />
      ))}
      {task.result && <Result result={task.result} said={task.error?.message} />}
      {task.isIdle ? (
        <StartForm
          key={tool}
          run={run}
          onChange={(change) => runs.change(id, change)}
          onStart={start}
          onRemove={() => onRemove(id)}
        />
      ) : (
        <RunActions task={task} onStartOver={() => runs.startOver(id)} onRemove={() => onRemove(id)} />
      )}
      {!task.isIdle && <History history={history} />}
    </article>
  )
}
