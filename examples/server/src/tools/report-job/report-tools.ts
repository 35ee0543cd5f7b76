import { reportUri, type Reports } from '../../reports/reports.ts'
import type { TaskEngine } from '../../tasks/engine.ts'
import { TaskNotFound } from '../../tasks/errors.ts'
import type { Task, ToolResult } from '../../tasks/task.ts'
import { textResult, type Tool } from '../tool.ts'
import { JOB_SCHEMA, jobAnswer } from './answer.ts'
import { toJobView } from './view.ts'

// Tasks that write reports; whether they began as tasks or as jobs is all the same.
const REPORTERS: readonly string[] = ['start_report', 'start_research']

const jobId = { type: 'string', minLength: 1, maxLength: 200, description: 'The id that start_report answered with.' }

/** What the app does with a report job: watch it, cancel it, retry it, fetch what it made. Hosts keep these from the model. */
export function reportTools(engine: TaskEngine, reports: Reports): readonly Tool[] {
  const answer = (task: Task, words?: string) => jobAnswer(engine, task, words)
  const refusal = async (task: Task, words: string) => ({ ...(await answer(task, words)), isError: true })
  const tool = (face: Pick<Tool, 'name' | 'title' | 'description'>, more: ToolParts): Tool => ({
    ...face,
    inputSchema: { type: 'object', properties: { jobId }, required: ['jobId'] },
    outputSchema: JOB_SCHEMA,
    annotations: more.reads
      ? { readOnlyHint: true, openWorldHint: false }
      : { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { ui: { visibility: ['app'] } },
    taskSupport: 'forbidden',
    async run({ args }) {
      try {
        const task = await engine.get(String(args['jobId']))
        if (!REPORTERS.includes(task.tool)) throw new TaskNotFound()
        return await more.answer(task)
      } catch (error) {
        if (!(error instanceof TaskNotFound)) throw error
        return textResult('There is no report job with this id: it never was, or it has expired.', { isError: true })
      }
    },
  })

  return [
    tool(
      {
        name: 'get_report_status',
        title: 'Report status',
        description: 'How a report job stands: status, percent, phase.',
      },
      { reads: true, answer },
    ),
    tool(
      {
        name: 'cancel_report',
        title: 'Cancel a report',
        description:
          'Asks a report job to stop. It has stopped once its status is cancelled. A finished job stays as it is.',
      },
      {
        async answer(task) {
          await engine.cancel(task.id)
          return answer(await engine.get(task.id))
        },
      },
    ),
    tool(
      {
        name: 'retry_report',
        title: 'Retry a report',
        description:
          'Tries a report job again that failed, timed out or was cancelled. Answers with a new job, which goes on where the old one stopped.',
      },
      {
        async answer(task) {
          if (task.retriedAs === null && !toJobView(task).canRetry)
            return refusal(task, 'This job cannot be tried again.')
          const next = await engine.retry(task.id)
          return answer(next, `Report job ${next.id} is attempt ${next.attempt}.`)
        },
      },
    ),
    tool(
      {
        name: 'get_report_result',
        title: 'Report result',
        description: 'What a report job has made: the title of the report and a link to it.',
      },
      {
        reads: true,
        async answer(task) {
          const { result } = toJobView(task)
          if (!result) return refusal(task, 'There is no report.')
          const report = await reports.get(result.artifactId)
          if (!report) return refusal(task, 'The report is no longer kept.')
          const done = await answer(task)
          const file = { name: report.title, mimeType: 'text/markdown', size: Buffer.byteLength(report.body) }
          const link = { type: 'resource_link', uri: reportUri(report.id), ...file }
          return { ...done, content: [...done.content, link] }
        },
      },
    ),
  ]
}

interface ToolParts {
  /** Whether it changes nothing. */
  readonly reads?: boolean
  answer(task: Task): Promise<ToolResult>
}
