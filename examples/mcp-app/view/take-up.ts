import type { JsonObject, TaskRunner } from '@mcp-task-machine/core'

interface Call {
  readonly tool: string
  /** Of the connection that it was made over. */
  readonly endpoint: string
}

/** Makes the answer of the host's opening call the run of this view. Of a job it is only the beginning, which its id leads on from. */
export function takeUp(runner: TaskRunner, answer: JsonObject, { tool, endpoint }: Call): void {
  const { jobId } = (answer['structuredContent'] ?? {}) as { readonly jobId?: unknown }
  if (typeof jobId !== 'string') return runner.adopt(answer)
  void runner.resume({ version: 1, protocol: 'job-tools', endpoint, tool, taskId: jobId }).catch(() => {})
}
