import type { Reports } from '../../reports/reports.ts'
import type { TaskEngine } from '../../tasks/engine.ts'
import { APP_URI } from '../app-uri.ts'
import { research, RESEARCH_ARGUMENTS } from '../research.ts'
import { argumentsSchema, type Tool } from '../tool.ts'
import { JOB_SCHEMA, jobAnswer } from './answer.ts'
import { FAILURE_ARGUMENTS, RETRY_POLICY, stoppingSlowly, withFailures } from './failures.ts'

/** Begins a report and answers with its job, for clients that know no tasks. The job is a task all the same. */
export function startReport(engine: TaskEngine, reports: Reports, largeResultBytes: number): Tool {
  return {
    name: 'start_report',
    title: 'Start a report',
    description: 'Starts a job that searches sources, reads them and writes a report. Answers at once with the job id.',
    inputSchema: argumentsSchema({ ...RESEARCH_ARGUMENTS, ...FAILURE_ARGUMENTS }, ['query']),
    outputSchema: JOB_SCHEMA,
    // It is safe to call again: a call with the same key changes nothing, and one without only begins another report.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { ui: { resourceUri: APP_URI, visibility: ['model', 'app'] }, retryPolicy: RETRY_POLICY },
    taskSupport: 'forbidden',
    async begin(call) {
      const { task, created } = await engine.submit(call)
      return jobAnswer(engine, task, `${created ? 'Started' : 'Had started'} report job ${task.id}.`)
    },
    run: (work) => stoppingSlowly(work, research(withFailures(work), reports, largeResultBytes)),
  }
}
